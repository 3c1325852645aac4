import { type ActiveChain, createActiveChains } from '@yield-vault/chains';
import {
  localGasBombVaultAbi,
  localOperator,
  localPausableVaultAbi,
  localRegistry,
  type LocalVaultDefinition,
  type LocalVaultKind,
  localVaults,
  provisionLocalChain,
} from '@yield-vault/testing/local';
import { type LoggerPort, silentLogger, UpstreamUnavailableError, vaultIdOf } from '@yield-vault/protocol';
import { type Anvil, startAnvil, startTcpProxy } from '@yield-vault/testing';
import { type Address, createTestClient, encodeFunctionData, type Hex, http, publicActions } from 'viem';
import { buildChainConfig } from '../../test/build-chain-config.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { createProber } from './create-prober.js';

jest.setTimeout(120_000);

const chainId = 8453;
const never = new AbortController().signal;

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

  const create = ({ key, rpc }: ActiveChain = chain, logger: LoggerPort = silentLogger) =>
    createProber({ chain: key, rpc, logger, now: () => 1_800_000_000_500 });
  const probe = async (vaults: readonly TrackedVault[]) =>
    create().probe(vaults, await node.getBlockNumber(), never);
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
    ['exit-fee', 'ok', null, null],
    ['paused', 'paused', 'deposit', 'EnforcedPause'],
    ['whitelist', 'whitelist', 'deposit', 'AccessControlUnauthorizedAccount'],
    ['minimum', 'below-minimum', 'deposit', 'deposit below minimum'],
    ['async', 'async', 'redeem', 'ERC-7540'],
    // The registry names the wrong asset: the vault finds nothing of its own to take.
    ['mislabelled', 'reverts', 'deposit', 'NO_REASON'],
  ] as const)('default: %s is %s', async (kind, result, failedStep, reason) => {
    const { id: vault } = trackedOf(kind);
    const block = await node.getBlockNumber();
    const expected = { vault, result, failedStep, reason, checkedAt: 1_800_000_000, block };
    expect(await probeKind(kind)).toMatchObject(expected);
  });

  it('behavior: deposited and redeemed amounts, in base units', async () => {
    const vault = localVaults[chainId].find(({ kind, asset }) => kind === 'steady' && asset === 'WETH')!;
    const [found] = await probe([tracked.find(({ entry }) => entry.address === vault.address)!]);
    expect(found).toMatchObject({ result: 'ok', assetsIn: 10n ** 16n });
    expect(Number(found!.sharesOut) / 1e16).toBeCloseTo(1 / vault.sharePrice, 4);
    expect(Number(found!.assetsOut) / 1e16).toBeCloseTo(1, 9);
  });

  it('behavior: simulates at the given block', async () => {
    const before = await node.getBlockNumber();
    await act(
      definitionOf('paused').address,
      encodeFunctionData({ abi: localPausableVaultAbi, functionName: 'unpause' }),
    );
    const [then] = await create().probe([trackedOf('paused')], before, never);
    expect(then).toMatchObject({ result: 'paused', block: before });
  });

  it('behavior: views that burn 36 million gas do not close a vault', async () => {
    const { timestamp } = await node.getBlock();
    const data = encodeFunctionData({ abi: localGasBombVaultAbi, functionName: 'arm', args: [timestamp] });
    await act(definitionOf('gas-bomb').address, data);
    expect(await probeKind('gas-bomb')).toMatchObject({ result: 'ok' });
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
    const messages: string[] = [];
    const warn = (_: object, message: string) => void messages.push(message);
    const prober = create(chain, { ...silentLogger, warn });
    const block = await node.getBlockNumber();
    for (let round = 0; round < 2; round++)
      expect(await prober.probe([unknown, trackedOf('zero-limit')], block, never)).toMatchObject([
        { vault: trackedOf('zero-limit').id, result: 'ok' },
      ]);
    expect(messages).toEqual([expect.stringContaining('vaults of this asset are not simulated')]);
  });

  it('error: an outage is no result, and the next round has one', async () => {
    const proxy = await startTcpProxy(anvil.rpcUrl);
    const prober = create(chainAt(proxy.url));
    const block = await node.getBlockNumber();
    proxy.cut();
    await expect(prober.probe(tracked, block, never)).rejects.toThrow(UpstreamUnavailableError);
    proxy.restore();
    expect(await prober.probe(tracked, block, never)).toHaveLength(tracked.length);
    proxy.cut();
    await expect(prober.exits(tracked, block, never)).rejects.toThrow(UpstreamUnavailableError);
    await proxy.stop();
  });
});
