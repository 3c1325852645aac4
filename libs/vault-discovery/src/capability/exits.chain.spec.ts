import { type ActiveChain, createActiveChains } from '@yield-vault/chains';
import { silentLogger, vaultIdOf } from '@yield-vault/protocol';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import {
  createDifficultVaults,
  localLendingVaultAbi,
  localOperator,
  localRegistry,
  type LocalVaultKind,
  localVaults,
  provisionLocalChain,
} from '@yield-vault/testing/local';
import {
  type Address,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  publicActions,
  walletActions,
} from 'viem';
import { buildChainConfig } from '../../test/build-chain-config.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import type { ExitSample } from '../ports.js';
import { createProber } from './create-prober.js';

jest.setTimeout(120_000);

const chainId = 8453;
const never = new AbortController().signal;
const usdc = 10n ** 6n;

const tracked = localVaults[chainId].map((vault, index): TrackedVault => {
  const entry = localRegistry().vaults.find(({ address }) => address === vault.address)!;
  return {
    id: index + 1,
    vaultId: vaultIdOf(chainId, vault.address),
    shareDecimals: entry.asset.decimals + vault.decimalsOffset,
    entry: { ...entry, sources: ['registry'] } as RegistryEntry,
  };
});
const trackedOf = (kind: LocalVaultKind, asset = 'USDC'): TrackedVault =>
  tracked[localVaults[chainId].findIndex((vault) => vault.kind === kind && vault.asset === asset)]!;

describe('the exits of a prober on a local chain', () => {
  let anvil: Anvil;
  let chain: ActiveChain;
  let node: ReturnType<typeof clientOf>;
  let snapshot: Hex;
  const clientOf = (rpcUrl: string) =>
    createTestClient({ mode: 'anvil', transport: http(rpcUrl), cacheTime: 0, account: localOperator })
      .extend(publicActions)
      .extend(walletActions);

  let holders: readonly Address[] = [];
  const exits = async (...vaults: readonly TrackedVault[]) =>
    createProber({
      chain: 'base',
      rpc: chain.rpc,
      logger: silentLogger,
      holdersOf: (_, addresses) =>
        Promise.resolve(new Map(addresses.map((address) => [address.toLowerCase(), holders]))),
    }).exits(vaults, await node.getBlockNumber(), never);
  const exit = async (vault: TrackedVault): Promise<ExitSample> => (await exits(vault))[0]!;
  const fraction = ({ instant, totalAssets }: ExitSample) => Number(instant) / Number(totalAssets);
  const lending = trackedOf('lending');
  const setLending = async (functionName: 'setLent' | 'setLock', value: bigint) => {
    const data = encodeFunctionData({ abi: localLendingVaultAbi, functionName, args: [value] });
    const transaction = { from: localOperator, to: lending.entry.address, data, gas: '0xf4240' };
    await node.request({ method: 'eth_sendTransactionSync', params: [transaction] } as never);
  };
  const idle = () =>
    node.readContract({ address: lending.entry.address, abi: localLendingVaultAbi, functionName: 'idle' });
  /** A vault of the test's own, with a million USDC in it. */
  const deploy = async (name: string) => {
    const vaults = createDifficultVaults({ rpcUrl: anvil.rpcUrl, chainId });
    const address = await vaults.deployVault({ name });
    await vaults.depositFor(address, '0x00000000000000000000000000000000000ca11e', 1_000_000n * usdc);
    const steady = trackedOf('steady');
    return { vaults, vault: { ...steady, id: 99, entry: { ...steady.entry, address } } };
  };

  beforeAll(async () => {
    anvil = await startAnvil({ chainId });
    node = clientOf(anvil.rpcUrl);
    await provisionLocalChain(node as never, chainId);
    await node.impersonateAccount({ address: localOperator });
    const chains = { base: buildChainConfig({ rpcUrls: [anvil.rpcUrl] }) };
    chain = createActiveChains({ chains }).require('base');
  });
  beforeEach(async () => {
    snapshot = await node.snapshot();
  });
  afterEach(async () => {
    holders = [];
    await node.revert({ id: snapshot });
  });
  afterAll(async () => {
    await anvil?.stop();
  });

  it.each([
    ['steady', 'USDC', 'simulated', 1, 0],
    ['steady', 'WETH', 'simulated', 1, 0],
    ['gap', 'USDC', 'simulated', 1, 0],
    ['exit-fee', 'USDC', 'simulated', 0.999, 10],
    ['lending', 'USDC', 'simulated', 2.7 / 22.8, 0],
    ['frozen', 'USDC', 'simulated', 0, 0],
    ['gas-bomb', 'USDC', 'simulated', 1, 0],
    ['minimum', 'USDC', 'simulated', 1, 0],
    // Closed to the simulated holder, who may leave.
    ['whitelist', 'USDC', 'simulated', 1, 0],
  ] as const)('default: %s of %s', async (kind, asset, method, expected, exitBps) => {
    const found = await exit(trackedOf(kind, asset));
    expect(found).toMatchObject({ method, exitBps });
    expect(fraction(found)).toBeGreaterThanOrEqual(expected * 0.994);
    expect(fraction(found)).toBeLessThanOrEqual(expected * 1.001);
  });

  it.each(['locked', 'async', 'paused'] as const)(
    'behavior: the exit of %s is unknown: no redeem of today is paid',
    async (kind) => {
      expect(await exit(trackedOf(kind))).toMatchObject({ method: 'unknown', instant: null, curve: [] });
    },
  );

  it('behavior: a lock of one block is no lock, and one of an hour is', async () => {
    await setLending('setLock', 1n);
    expect(await exit(lending)).toMatchObject({ method: 'simulated' });
    await setLending('setLock', 3_600n);
    expect(await exit(lending)).toMatchObject({ method: 'unknown' });
  });

  it.each([
    // Deposits before and after the lock, in millions.
    ['all of it', [1n, 1n], [], true],
    ['all of it, one of three locked', [1n, 1n], [1n], true],
    ['nothing, two of three locked', [1n], [1n, 1n], false],
    ['unknown, one locked and nobody to compare', [], [1n], undefined],
    ['unknown, one locked and one of dust', [], [1n, 0n], undefined],
  ] as const)('behavior: what real holders get: %s', async (_, free, locked, isPaid) => {
    const { depositFor } = createDifficultVaults({ rpcUrl: anvil.rpcUrl, chainId });
    const join = async (amounts: readonly bigint[], salt: bigint) => {
      for (const [index, amount] of amounts.entries()) {
        const holder = numberToHex(0xb0b0n * salt + BigInt(index), { size: 20 });
        holders = [...holders, holder];
        await depositFor(lending.entry.address, holder, amount * 1_000_000n * usdc || 5n);
      }
    };
    await join(free, 1n);
    await setLending('setLock', 40n * 86_400n);
    await join(locked, 2n);
    // Contracts hold shares, too, and some who are known left.
    await node.setCode({ address: holders[0]!, bytecode: '0x00' });
    holders = [...holders, '0x0000000000000000000000000000000000009097'];
    // Deposits of today, and shares without a past, are free.
    await setLending('setLock', 0n);
    await setLending('setLent', 20_100_000n * usdc);
    const found = await exit(lending);
    expect(found.method).toBe(isPaid === undefined ? 'unknown' : 'simulated');
    expect(found.instant === null ? null : found.instant > 0n).toBe(isPaid ?? null);
    expect(found.curve.some(({ receivedBps }) => receivedBps > 0)).toBe(isPaid ?? false);
  });

  it('behavior: a share price that grows by itself accrues', async () => {
    expect(await exit(trackedOf('steady'))).toMatchObject({ accrues: true });
    expect(await exit((await deploy('Flat')).vault)).toMatchObject({ accrues: false });
  });

  it('invariant: a redeem pays what was measured, and no redeem pays 1 % more', async () => {
    const { address } = lending.entry;
    const holder: Address = '0x000000000000000000000000000000000000b16b';
    await createDifficultVaults({ rpcUrl: anvil.rpcUrl, chainId }).depositFor(
      address,
      holder,
      40_000_000n * usdc,
    );
    await node.impersonateAccount({ address: holder });
    await node.setBalance({ address: holder, value: 10n ** 18n });
    const vault = { address, abi: localLendingVaultAbi } as const;
    for (const lent of [0n, 40_000_000n, 61_000_000n, 62_700_000n]) {
      await setLending('setLent', lent * usdc);
      const { instant, curve } = await exit(lending);
      expect(instant!).toBeLessThanOrEqual(await idle());
      expect(instant! * 1_000n).toBeGreaterThanOrEqual((await idle()) * 994n);
      expect(curve.map(({ receivedBps }) => receivedBps)).toContain(10_000);
      const held = await node.readContract({ ...vault, functionName: 'maxWithdraw', args: [holder] });
      if (instant! > held) continue;
      const redeem = async (assets: bigint) => {
        const shares = await node.readContract({ ...vault, functionName: 'convertToShares', args: [assets] });
        const args = [shares, holder, holder] as const;
        return (await node.simulateContract({ ...vault, functionName: 'redeem', args, account: holder }))
          .result;
      };
      expect(Number(await redeem(instant!)) / Number(instant)).toBeCloseTo(1, 6);
      await expect(redeem((instant! * 101n) / 100n)).rejects.toThrow(/NotEnoughLiquidity/);
    }
  });

  it('behavior: a redeem that costs 2 % is no exit, and its cost is known', async () => {
    const { vaults, vault } = await deploy('Expensive exit');
    await vaults.change(vault.entry.address, 'setFees', [0n, 200n]);
    expect(await exit(vault)).toMatchObject({ method: 'simulated', instant: 0n, exitBps: 200 });
  });

  it('behavior: a vault that burns all gas is unknown, and does not affect others', async () => {
    const { vaults, vault } = await deploy('Furnace');
    const endless: Address = '0x00000000000000000000000000000000e17d1e55';
    await node.setCode({ address: endless, bytecode: '0x5b600056' });
    await vaults.change(vault.entry.address, 'setAttack', [endless, '0x', true]);
    const found = await exits(vault, trackedOf('steady'));
    expect(found.map(({ method }) => method)).toEqual(['unknown', 'simulated']);
  });

  it('behavior: a vault that pays only where gas costs nothing is no exit', async () => {
    const { vaults, vault } = await deploy('Free');
    const greedy: Address = '0x00000000000000000000000000000000000f4ee0';
    // Reverts unless the gas price or the base fee is 0.
    await node.setCode({ address: greedy, bytecode: '0x3a4802600757005b5f5ffd' });
    await vaults.change(vault.entry.address, 'setAttack', [greedy, '0x', true]);
    expect(await exit(vault)).toMatchObject({ method: 'unknown' });
    await node.setCode({ address: greedy, bytecode: '0x' });
    expect(await exit(vault)).toMatchObject({ method: 'simulated' });
  });

  it('behavior: a vault that refuses only the deposits that check locks is unknown', async () => {
    const { vaults, vault } = await deploy('Picky');
    const picky: Address = '0x00000000000000000000000000000000000b1c4e';
    await vaults.change(vault.entry.address, 'setAttack', [picky, '0x', true]);
    const { timestamp } = await node.getBlock();
    // Reverts after this block.
    await node.setCode({ address: picky, bytecode: `0x63${timestamp.toString(16)}4211600b57005b5f5ffd` });
    expect(await exit(vault)).toMatchObject({ method: 'unknown' });
  });

  it('behavior: totals that no number of the EVM can multiply are no outage', async () => {
    const absurd: Address = '0x00000000000000000000000000000000000ab50d';
    // Each view returns 2^256 - 1; a deposit and a redeem succeed and do nothing.
    await node.setCode({ address: absurd, bytecode: '0x60001960005260206000f3' });
    const steady = trackedOf('steady');
    const found = await exits({ ...steady, id: 99, entry: { ...steady.entry, address: absurd } }, steady);
    expect(found.map(({ method }) => method)).toEqual(['unknown', 'simulated']);
  });

  it('behavior: an address without code is no vault', async () => {
    const steady = trackedOf('steady');
    const nobody = {
      ...steady,
      entry: { ...steady.entry, address: '0x000000000000000000000000000000000000dEaD' },
    };
    const none = { totalAssets: 0n, method: 'unknown', instant: null };
    expect(await exit(nobody as TrackedVault)).toMatchObject(none);
  });
});
