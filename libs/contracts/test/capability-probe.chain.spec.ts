import { toFunctionSelector, type Address } from 'viem';
import { decodeRevertReason } from '../src/decode-revert-reason.js';
import { capabilityProbeAbi, capabilityProbeDeployedBytecode } from '../src/index.js';
import { mockTokenAbi } from './generated/MockToken.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from './generated/UsdtLikeToken.js';
import { useTestChain } from './support/chain.js';
import { deployHostileVault, deployToken, deployVault, mint, placeCode } from './support/vaults.js';

const holder: Address = '0x00000000000000000000000000000000005EED01';
const steps = { none: 0, approve: 1, deposit: 2, shares: 3, redeem: 4 } as const;
const amount = 10_000_000n;
const gas = 10_000_000n;

describe('CapabilityProbe', () => {
  const chain = useTestChain();
  let token: Address;
  beforeEach(async () => {
    token = await deployToken(chain);
    // The holder has code only inside of the call.
    await mint(chain, token, holder, 10n * amount);
  });

  const hostileVault = (claimed: bigint, given: bigint) =>
    deployHostileVault(chain, token, { claimed, given });
  const probe = async (vault: Address, asset = token, assets = amount) => {
    const { result } = await chain.client.simulateContract({
      address: holder,
      abi: capabilityProbeAbi,
      functionName: 'probe',
      args: [vault, asset, assets],
      stateOverride: [{ address: holder, code: capabilityProbeDeployedBytecode }],
      gas,
    });
    return result;
  };

  it('default: deposits, redeems everything, and measures both', async () => {
    const outcome = await probe(await deployVault(chain, token));
    expect(outcome).toMatchObject({
      failedStep: steps.none,
      isOutOfGas: false,
      revertData: '0x',
      sharesOut: amount,
      assetsOut: amount,
      isPaused: false,
      isDepositAsync: false,
      isRedeemAsync: false,
    });
    for (const used of [outcome.approveGas, outcome.depositGas, outcome.redeemGas]) {
      expect(used).toBeGreaterThan(5_000n);
      expect(used).toBeLessThan(200_000n);
    }
  });

  it('behavior: a token that returns nothing', async () => {
    const usdt = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
    await mint(chain, usdt, holder, amount);
    const outcome = await probe(await deployVault(chain, usdt), usdt);
    expect(outcome).toMatchObject({ failedStep: steps.none, assetsOut: amount });
  });

  it('behavior: the transfer fee of a token lowers the result', async () => {
    await chain.write(token, mockTokenAbi, 'setFee', [100n]);
    const { failedStep, assetsOut } = await probe(await deployVault(chain, token));
    expect(failedStep).toBe(steps.none);
    expect(assetsOut).toBeLessThan((amount * 985n) / 1_000n);
  });

  it('error: a deposit that reverts, with its reason', async () => {
    const vault = await deployVault(chain, token);
    const reasonFor = async (assets: bigint) => {
      const { failedStep, revertData } = await probe(vault, token, assets);
      return [failedStep, decodeRevertReason(revertData)];
    };
    expect(await reasonFor(100n * amount)).toEqual([steps.deposit, 'INSUFFICIENT_BALANCE']);
    await chain.write(token, mockTokenAbi, 'setIgnoresApprove', []);
    expect(await reasonFor(amount)).toEqual([steps.deposit, 'INSUFFICIENT_ALLOWANCE']);
  });

  it('error: the vault reports shares that it does not mint', async () => {
    const outcome = await probe(await hostileVault(amount, 0n));
    expect(outcome).toMatchObject({ failedStep: steps.shares, sharesOut: 0n });
  });

  it('error: a redeem that reverts', async () => {
    const { failedStep, revertData, sharesOut } = await probe(await hostileVault(666n, 666n));
    expect([failedStep, sharesOut]).toEqual([steps.redeem, 666n]);
    expect(revertData.slice(0, 10)).toBe(toFunctionSelector('Bubbled(string,uint256)'));
  });

  it('behavior: a redeem that pays less than it claims', async () => {
    const outcome = await probe(await hostileVault(amount, amount / 2n));
    expect(outcome).toMatchObject({ failedStep: steps.none, assetsOut: amount / 2n });
  });

  it('error: an asset that refuses every approval', async () => {
    const asset = await placeCode(chain, '0x60006000fd');
    expect(await probe(await deployVault(chain, token), asset)).toMatchObject({ failedStep: steps.approve });
  });

  it('behavior: a vault that never ends leaves enough gas to say so', async () => {
    const outcome = await probe(await placeCode(chain, '0x5b600056'));
    expect(outcome).toMatchObject({ failedStep: steps.deposit, isOutOfGas: true, revertData: '0x' });
    expect(outcome.depositGas).toBeGreaterThan(gas / 4n);
  });

  it('behavior: a megabyte of revert data is cut short', async () => {
    const { failedStep, isOutOfGas, revertData } = await probe(await placeCode(chain, '0x621000006000fd'));
    expect([failedStep, isOutOfGas, revertData.length]).toEqual([steps.deposit, false, 2 + 2 * 2_048]);
  });

  it('behavior: an account without code is no vault', async () => {
    const outcome = await probe('0x000000000000000000000000000000000000dEaD');
    expect(outcome).toMatchObject({ failedStep: steps.shares, sharesOut: 0n });
  });
});
