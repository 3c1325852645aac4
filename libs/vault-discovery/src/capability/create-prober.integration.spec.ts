import { type ActiveChain, createActiveChains } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import {
  localCappedVaultAbi,
  localGapVaultAbi,
  localGasBombVaultAbi,
  localMinimumVaultAbi,
  localOperator,
  localPausableVaultAbi,
  localRegistry,
  localUsdcAbi,
  localVaultAbi,
  type LocalVaultDefinition,
  type LocalVaultKind,
  localVaults,
  provisionLocalChain,
} from '@yield-vault/testing/local';
import { UpstreamUnavailableError, vaultIdOf } from '@yield-vault/protocol';
import { type Anvil, startAnvil, startTcpProxy } from '@yield-vault/testing';
import { type Address, createTestClient, encodeFunctionData, type Hex, http, publicActions } from 'viem';
import { buildChainConfig } from '../../test/build-chain-config.js';
import type { TrackedVault } from '../chain/sample-block.js';
import type { RegistryEntry } from '../types.js';
import { createProber } from './create-prober.js';

jest.setTimeout(120_000);

const chainId = 8453;
const readGasLimit = 10_000_000;
const never = new AbortController().signal;
const usdc = (whole: number) => BigInt(whole) * 1_000_000n;

const tracked = localVaults[chainId].map((vault, index): TrackedVault => {
  const entry = localRegistry().vaults.find(({ address }) => address === vault.address)!;
  return {
    id: index + 1,
    vaultId: vaultIdOf(chainId, vault.address),
    shareDecimals: entry.asset.decimals + vault.decimalsOffset,
    entry: { ...entry, sources: ['registry'] } as RegistryEntry,
  };
});
const definitionOf = (kind: LocalVaultKind): LocalVaultDefinition =>
  localVaults[chainId].find((vault) => vault.kind === kind)!;
const trackedOf = (kind: LocalVaultKind): TrackedVault =>
  tracked.find(({ entry }) => entry.address === definitionOf(kind).address)!;

const chainAt = (rpcUrl: string) =>
  createActiveChains({ chains: { base: buildChainConfig({ rpcUrls: [rpcUrl] }) } }).require('base');

describe('createProber on a local chain', () => {
  let anvil: Anvil;
  let chain: ActiveChain;
  let node: ReturnType<typeof clientOf>;
  let snapshot: Hex;
  const clientOf = (rpcUrl: string) =>
    createTestClient({ mode: 'anvil', transport: http(rpcUrl), cacheTime: 0 }).extend(publicActions);

  const createLogged = (options: { readonly chain?: ActiveChain; readonly readGasLimit?: number } = {}) => {
    const messages: string[] = [];
    const record = (_: object, message: string) => void messages.push(message);
    const { key, rpc } = options.chain ?? chain;
    const logger = { info: record, warn: record, error: record };
    const prober = createProber({
      ...{ chain: key, rpc, readGasLimit: options.readGasLimit ?? readGasLimit, logger },
      now: () => 1_800_000_000_500,
    });
    return { prober, messages };
  };
  const probe = async (vaults: readonly TrackedVault[]) =>
    createLogged().prober.probe(vaults, await node.getBlockNumber(), never);
  const probeKind = async (kind: LocalVaultKind) => (await probe([trackedOf(kind)]))[0];
  const act = async (to: Address, data: Hex) => {
    const transaction = { from: localOperator, to, data, gas: '0xf4240' };
    const receipt = await node.request({ method: 'eth_sendTransactionSync', params: [transaction] } as never);
    expect((receipt as { status: string }).status).toBe('0x1');
  };

  beforeAll(async () => {
    anvil = await startAnvil({ chainId });
    node = clientOf(anvil.rpcUrl);
    await provisionLocalChain(node as never, chainId);
    await node.impersonateAccount({ address: localOperator });
    chain = chainAt(anvil.rpcUrl);
  });
  beforeEach(async () => {
    snapshot = await node.snapshot();
  });
  afterEach(async () => {
    await node.revert({ id: snapshot });
  });
  afterAll(async () => {
    await anvil?.stop();
  });

  it.each([
    ['steady', 'ok', null, null],
    ['zero-limit', 'ok', null, null],
    ['exit-fee', 'ok', null, null],
    ['capped', 'ok', null, null],
    ['gap', 'ok', null, null],
    ['impostor', 'ok', null, null],
    ['paused', 'paused', 'deposit', 'EnforcedPause'],
    ['whitelist', 'whitelist', 'deposit', 'AccessControlUnauthorizedAccount'],
    ['minimum', 'below-minimum', 'deposit', 'deposit below minimum'],
    ['async', 'async', 'redeem', 'ERC-7540'],
    // The registry names the wrong asset: the vault finds nothing of its own to take.
    ['mislabelled', 'reverts', 'deposit', 'NO_REASON'],
  ] as const)('default: %s is %s', async (kind, result, failedStep, reason) => {
    expect(await probeKind(kind)).toMatchObject({
      ...{ vault: trackedOf(kind).id, result, failedStep, reason },
      ...{ checkedAt: 1_800_000_000, block: await node.getBlockNumber() },
    });
  });

  it('behavior: deposited and redeemed amounts, in base units', async () => {
    const vault = localVaults[chainId].find(({ kind, asset }) => kind === 'steady' && asset === 'WETH')!;
    const [found] = await probe([tracked.find(({ entry }) => entry.address === vault.address)!]);
    expect(found).toMatchObject({ result: 'ok', assetsIn: 10n ** 16n });
    expect(Number(found!.sharesOut) / 1e16).toBeCloseTo(1 / vault.sharePrice, 4);
    expect(Number(found!.assetsOut) / 1e16).toBeCloseTo(1, 9);
  });

  it('behavior: no room is a closed door', async () => {
    const args = [usdc(10) - 1n] as const;
    const data = encodeFunctionData({ abi: localCappedVaultAbi, functionName: 'setRoom', args });
    await act(definitionOf('capped').address, data);
    expect(await probeKind('capped')).toMatchObject({
      ...{ result: 'deposit-closed', failedStep: 'deposit', reason: 'ERC4626ExceededMaxDeposit' },
      ...{ assetsIn: usdc(10), sharesOut: 0n, assetsOut: 0n },
    });
  });

  it.each([
    [usdc(11), usdc(1_000)],
    [usdc(1_001), usdc(100_000)],
  ])('behavior: a minimum of %s is met with more', async (minimum, assetsIn) => {
    const data = encodeFunctionData({
      ...{ abi: localMinimumVaultAbi, functionName: 'setMinimum', args: [minimum] },
    });
    await act(definitionOf('minimum').address, data);
    expect(await probeKind('minimum')).toMatchObject({
      ...{ result: 'ok', failedStep: null, reason: 'deposit below minimum', assetsIn },
    });
  });

  it('behavior: a paused vault is open again', async () => {
    await act(
      definitionOf('paused').address,
      encodeFunctionData({ abi: localPausableVaultAbi, functionName: 'unpause' }),
    );
    expect(await probeKind('paused')).toMatchObject({ result: 'ok' });
  });

  it('behavior: a paused asset pauses its vaults', async () => {
    await act(canonical.usdc[chainId], encodeFunctionData({ abi: localUsdcAbi, functionName: 'pause' }));
    expect(await probeKind('steady')).toMatchObject({ result: 'paused', failedStep: 'deposit' });
  });

  it('behavior: a vault that falls silent reverts', async () => {
    const { timestamp } = await node.getBlock();
    const args = [timestamp, timestamp + 3_600n] as const;
    const data = encodeFunctionData({ abi: localGapVaultAbi, functionName: 'setSilence', args });
    await act(definitionOf('gap').address, data);
    expect(await probeKind('gap')).toMatchObject({ result: 'reverts', failedStep: 'deposit' });
  });

  it('behavior: simulates at the given block', async () => {
    const before = await node.getBlockNumber();
    await act(
      definitionOf('paused').address,
      encodeFunctionData({ abi: localPausableVaultAbi, functionName: 'unpause' }),
    );
    const { prober } = createLogged();
    const [then] = await prober.probe([trackedOf('paused')], before, never);
    expect(then).toMatchObject({ result: 'paused', block: before });
  });

  it('behavior: views that burn 36 million gas do not close a vault', async () => {
    const { timestamp } = await node.getBlock();
    const data = encodeFunctionData({ abi: localGasBombVaultAbi, functionName: 'arm', args: [timestamp] });
    await act(definitionOf('gas-bomb').address, data);
    expect(await probeKind('gas-bomb')).toMatchObject({ result: 'ok' });
  });

  it('behavior: nothing stays on the chain', async () => {
    const block = await node.getBlockNumber();
    const steady = definitionOf('steady').address;
    const supply = () =>
      node.readContract({ address: steady, abi: localVaultAbi, functionName: 'totalSupply' });
    const before = await supply();
    await probe(tracked);
    expect([await node.getBlockNumber(), await supply()]).toEqual([block, before]);
  });

  it('behavior: a vault that burns gas without end does not affect other vaults', async () => {
    const endless: Address = '0x00000000000000000000000000000000e17d1e55';
    await node.setCode({ address: endless, bytecode: '0x5b600056' });
    const steady = trackedOf('steady');
    const hostile: TrackedVault = { ...steady, id: 99, entry: { ...steady.entry, address: endless } };
    const found = await probe([hostile, ...tracked]);
    expect(found).toHaveLength(1 + tracked.length);
    expect(found[0]).toMatchObject({ vault: 99, result: 'reverts', reason: 'OUT_OF_GAS' });
    expect(found[1]).toMatchObject({ result: 'ok' });
  });

  it('behavior: no result for an asset with an unknown balance slot', async () => {
    const asset: Address = '0x00000000000000000000000000000000000a55e7';
    await node.setCode({ address: asset, bytecode: '0x00' });
    const steady = trackedOf('steady');
    const unknown = {
      ...steady,
      entry: { ...steady.entry, asset: { ...steady.entry.asset, address: asset } },
    };
    const { prober, messages } = createLogged();
    const block = await node.getBlockNumber();
    for (let round = 0; round < 2; round++)
      expect(await prober.probe([unknown, trackedOf('zero-limit')], block, never)).toMatchObject([
        { vault: trackedOf('zero-limit').id, result: 'ok' },
      ]);
    expect(messages).toEqual([expect.stringContaining('nobody knows where it keeps balances')]);
  });

  it('behavior: 100 vaults in a moment', async () => {
    const { prober } = createLogged();
    const block = await node.getBlockNumber();
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...tracked[index % tracked.length]!,
      id: index,
    }));
    const started = performance.now();
    const found = await prober.probe(many, block, never);
    const elapsed = performance.now() - started;
    process.stderr.write(`simulated 100 vaults in ${elapsed.toFixed(0)} ms\n`);
    expect(found.map(({ vault }) => vault)).toEqual(many.map(({ id }) => id));
    expect(elapsed).toBeLessThan(10_000);
  });

  it('error: an outage is no result, and the next round has one', async () => {
    const proxy = await startTcpProxy(anvil.rpcUrl);
    const { prober } = createLogged({ chain: chainAt(proxy.url) });
    const block = await node.getBlockNumber();
    proxy.cut();
    await expect(prober.probe(tracked, block, never)).rejects.toThrow(UpstreamUnavailableError);
    proxy.restore();
    expect(await prober.probe(tracked, block, never)).toHaveLength(tracked.length);
    proxy.cut();
    await expect(prober.probe(tracked, block, never)).rejects.toThrow(UpstreamUnavailableError);
    await expect(prober.liquidity(tracked, block)).rejects.toThrow(UpstreamUnavailableError);
    await proxy.stop();
  });

  it('error: aborted', async () => {
    const block = await node.getBlockNumber();
    const { prober } = createLogged();
    await expect(prober.probe(tracked, block, AbortSignal.abort())).rejects.toThrow('aborted');
  });

  describe('liquidity', () => {
    const liquidity = async (vaults: readonly TrackedVault[]) =>
      createLogged().prober.liquidity(vaults, await node.getBlockNumber());

    it('default: a local vault holds everything that it owns', async () => {
      const found = await liquidity(tracked);
      for (const { id, entry } of tracked)
        expect([entry.name, found.get(id)]).toEqual([
          entry.name,
          entry.name === 'Ferry USDC Express' ? undefined : 1,
        ]);
    });
  });
});
