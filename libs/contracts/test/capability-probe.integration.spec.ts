import { numberToHex, toFunctionSelector, type Address, type Hex } from 'viem';
import { capabilityProbeAbi, capabilityProbeDeployedBytecode } from '../src/index.js';
import { decodeRevertReason } from '../src/decode-revert-reason.js';
import { hostileVaultAbi, hostileVaultBytecode } from './generated/HostileVault.js';
import { mockTokenAbi, mockTokenBytecode } from './generated/MockToken.js';
import { mockVaultAbi, mockVaultBytecode } from './generated/MockVault.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from './generated/UsdtLikeToken.js';
import { startTestChain, type TestChain } from './support/chain.js';

const holder: Address = '0x00000000000000000000000000000000005EED01';
const steps = { none: 0, approve: 1, deposit: 2, shares: 3, redeem: 4 } as const;
const amount = 10_000_000n;
const gas = 10_000_000n;

describe('CapabilityProbe', () => {
  let chain: TestChain;
  let token: Address;
  let placed = 0;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  beforeEach(async () => {
    token = await chain.deploy(mockTokenAbi, mockTokenBytecode);
    await mint(token, 10n * amount);
  });
  afterAll(() => chain.stop());

  /** Gives to the account that has code only inside of the call. */
  const mint = (asset: Address, assets: bigint) => set(asset, mockTokenAbi, 'mint', holder, assets);
  const set = async (
    address: Address,
    abi: typeof mockTokenAbi | typeof hostileVaultAbi,
    functionName: string,
    ...args: unknown[]
  ) => chain.mined(chain.wallet.writeContract({ address, abi, functionName, args } as never));
  const vaultOf = (asset: Address) => chain.deploy(mockVaultAbi, mockVaultBytecode, [asset]);
  const hostileVault = async (claimed: bigint, given: bigint) => {
    const vault = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [token]);
    await set(vault, hostileVaultAbi, 'behave', claimed, given, 100n);
    return vault;
  };
  const place = async (code: Hex) => {
    const address = numberToHex(0xc0de_0000 + placed++, { size: 20 });
    await chain.node.setCode({ address, bytecode: code });
    return address;
  };
  const probe = async (vault: Address, asset = token, assets = amount) => {
    const { result } = await chain.client.simulateContract({
      ...{ address: holder, abi: capabilityProbeAbi, functionName: 'probe', args: [vault, asset, assets] },
      stateOverride: [{ address: holder, code: capabilityProbeDeployedBytecode }],
      gas,
    });
    return result;
  };

  it('default: deposits, redeems everything, and measures both', async () => {
    const outcome = await probe(await vaultOf(token));
    expect(outcome).toMatchObject({
      ...{ failedStep: steps.none, isOutOfGas: false, revertData: '0x', sharesOut: amount },
      ...{ assetsPreviewed: amount, assetsOut: amount },
      ...{ isPaused: false, isDepositAsync: false, isRedeemAsync: false },
    });
    for (const used of [outcome.approveGas, outcome.depositGas, outcome.redeemGas]) {
      expect(used).toBeGreaterThan(5_000n);
      expect(used).toBeLessThan(200_000n);
    }
  });

  it('behavior: a token that returns nothing', async () => {
    const usdt = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
    await mint(usdt, amount);
    expect(await probe(await vaultOf(usdt), usdt)).toMatchObject({
      failedStep: steps.none,
      assetsOut: amount,
    });
  });

  it('behavior: the transfer fee of a token lowers the result', async () => {
    await set(token, mockTokenAbi, 'setFee', 100n);
    const { failedStep, assetsOut } = await probe(await vaultOf(token));
    expect(failedStep).toBe(steps.none);
    expect(assetsOut).toBeLessThan((amount * 985n) / 1_000n);
  });

  it('error: a deposit that reverts, with its reason', async () => {
    await set(token, mockTokenAbi, 'setIgnoresApprove');
    const { failedStep, revertData, sharesOut } = await probe(await vaultOf(token));
    expect([failedStep, decodeRevertReason(revertData), sharesOut]).toEqual([
      ...[steps.deposit, 'INSUFFICIENT_ALLOWANCE', 0n],
    ]);
  });

  it('error: more than the holder has', async () => {
    const { failedStep, revertData } = await probe(await vaultOf(token), token, 100n * amount);
    expect([failedStep, decodeRevertReason(revertData)]).toEqual([steps.deposit, 'INSUFFICIENT_BALANCE']);
  });

  it('error: the vault reports shares that it does not mint', async () => {
    expect(await probe(await hostileVault(amount, 0n))).toMatchObject({
      failedStep: steps.shares,
      sharesOut: 0n,
    });
  });

  it('error: a redeem that reverts', async () => {
    const { failedStep, revertData, sharesOut } = await probe(await hostileVault(666n, 666n));
    expect([failedStep, revertData.slice(0, 10), sharesOut]).toEqual([
      steps.redeem,
      toFunctionSelector('Bubbled(string,uint256)'),
      666n,
    ]);
  });

  it('behavior: a redeem that pays less than it claims', async () => {
    const outcome = await probe(await hostileVault(amount, amount / 2n));
    expect(outcome).toMatchObject({ failedStep: steps.none, assetsPreviewed: 0n, assetsOut: amount / 2n });
  });

  it('error: an asset that refuses every approval', async () => {
    const asset = await place('0x60006000fd');
    expect(await probe(await vaultOf(token), asset)).toMatchObject({ failedStep: steps.approve });
  });

  it('behavior: a vault that never ends leaves enough gas to say so', async () => {
    const endless = await place('0x5b600056');
    const outcome = await probe(endless);
    expect(outcome).toMatchObject({ failedStep: steps.deposit, isOutOfGas: true, revertData: '0x' });
    expect(outcome.depositGas).toBeGreaterThan(gas / 4n);
  });

  it('behavior: a megabyte of revert data is cut short', async () => {
    const { failedStep, isOutOfGas, revertData } = await probe(await place('0x621000006000fd'));
    expect([failedStep, isOutOfGas, revertData.length]).toEqual([steps.deposit, false, 2 + 2 * 2_048]);
  });

  it('behavior: an account without code is no vault', async () => {
    const { failedStep, sharesOut } = await probe('0x000000000000000000000000000000000000dEaD');
    expect([failedStep, sharesOut]).toEqual([steps.shares, 0n]);
  });
});
