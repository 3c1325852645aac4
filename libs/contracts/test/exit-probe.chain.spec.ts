import type { Address } from 'viem';
import { exitProbeAbi, exitProbeDeployedBytecode } from '../src/index.js';
import { hostileVaultAbi } from './generated/HostileVault.js';
import { mockVaultAbi } from './generated/MockVault.js';
import { operator, useTestChain } from './support/chain.js';
import { deployHostileVault, deployToken, deployVault, mint, placeCode } from './support/vaults.js';

const holder: Address = '0x00000000000000000000000000000000005EED01';
const amount = 10_000_000n;
const redeemGas = 1_000_000n;

describe('ExitProbe', () => {
  const chain = useTestChain();
  let token: Address;
  beforeEach(async () => {
    token = await deployToken(chain);
  });

  const measure = async (vault: Address, sizes = [amount, amount / 2n, amount / 100n]) => {
    const { result } = await chain.client.simulateContract({
      address: holder,
      abi: exitProbeAbi,
      functionName: 'measure',
      args: [vault, token, 0n, sizes, redeemGas],
      stateOverride: [{ address: holder, code: exitProbeDeployedBytecode }],
      gas: 5_000_000n,
    });
    return result;
  };
  const vaultWithShares = async () => {
    const vault = await deployVault(chain, token);
    await mint(chain, token, operator.address, amount);
    await chain.write(token, mockVaultAbi, 'approve', [vault, amount]);
    await chain.write(vault, mockVaultAbi, 'deposit', [amount, holder]);
    return vault;
  };

  it('default: two redeems where everything is paid, each of them undone', async () => {
    const vault = await vaultWithShares();
    const [redeems, isWhole] = await measure(vault);
    expect(isWhole).toBe(true);
    expect(redeems.map(({ shares, expected, received }) => [shares, expected, received])).toEqual(
      [amount, amount / 100n].map((size) => [size, size, size]),
    );
  });

  it('behavior: bisects to half a percent below the smallest size that fails', async () => {
    const vault = await vaultWithShares();
    const [redeems] = await measure(vault, [2n * amount, amount / 2n]);
    const paid = redeems.filter(({ received }) => received > 0n).map(({ received }) => received);
    const most = paid.reduce((largest, received) => (received > largest ? received : largest), 0n);
    expect(most).toBeLessThanOrEqual(amount);
    expect(most).toBeGreaterThan((amount * 994n) / 1_000n);
    expect(redeems.length).toBeLessThan(15);
  });

  it('behavior: a vault that reports more than it pays', async () => {
    const vault = await deployHostileVault(chain, token, { claimed: amount, given: 0n });
    await chain.write(vault, hostileVaultAbi, 'mint', [holder, amount]);
    const [redeems, isWhole] = await measure(vault);
    expect(isWhole).toBe(true);
    expect(redeems.every(({ received }) => received === 0n)).toBe(true);
  });

  it('behavior: no size is paid without a share price to compare with', async () => {
    const vault = await deployHostileVault(chain, token, { given: 1n });
    await chain.write(vault, hostileVaultAbi, 'mint', [holder, amount]);
    await mint(chain, token, vault, amount);
    const [redeems] = await measure(vault);
    expect(redeems.map(({ expected, received }) => [expected, received])).toEqual(Array(3).fill([0n, 1n]));
  });

  it('behavior: a vault that never ends leaves enough gas to say so', async () => {
    const [redeems, isWhole] = await measure(await placeCode(chain, '0x5b600056'), Array<bigint>(9).fill(1n));
    expect(isWhole).toBe(false);
    expect(redeems).toHaveLength(4);
  });

  it('behavior: a megabyte of results, and an account without code', async () => {
    for (const vault of [await placeCode(chain, '0x621000006000fd'), holder])
      expect((await measure(vault))[0].every(({ received }) => received === 0n)).toBe(true);
  });
});
