import { createActiveChains, type ActiveChains, type ChainConfig } from '@yield-vault/chains';
import { canonical, suite } from '@yield-vault/contracts';
import { localRegistry, localVaults, provisionLocalChain } from '@yield-vault/contracts/local';
import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { ChainNotActiveError, UnknownVaultError, vaultIdOf } from '@yield-vault/protocol';
import { startAnvil, startTcpProxy, type Anvil, type TcpProxy } from '@yield-vault/testing';
import { createTestClient, http, numberToHex } from 'viem';
import { buildSnapshot } from '../test/build-snapshots.js';
import { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
import { parseRegistry } from './catalogue/parse-registry.js';
import type { DiscoveryOptions, RegistryEntry, VaultDiscovery } from './types.js';
import { createVaultDiscovery } from './vault-discovery.js';

jest.setTimeout(180_000);

const pastDays = 36;
const chainId = 8453;
const registry = parseRegistry(localRegistry());

let anvil: Anvil;
let proxy: TcpProxy;
let chains: ActiveChains;

const options: DiscoveryOptions = {
  sampleIntervalSeconds: 1,
  backfillHours: 35 * 24,
  maxRankingAgeSeconds: 10_800,
  minTvlUsd: 100_000,
  multicallBatchSize: 200,
};

function chainConfig(rpcUrl: string): ChainConfig {
  return {
    chainId,
    name: 'Base (local)',
    relayMode: 'chain',
    rpcUrls: [rpcUrl],
    bundlerUrl: null,
    explorerUrl: 'https://explorer.example',
    entryPoint: canonical.entryPointV08,
    entryPointVersion: '0.8',
    contracts: suite,
    usdc: canonical.usdc[chainId],
    fork: { opStack: false, bundlerAccounts: [] },
    deadlines: { rpcMs: 5_000, bundlerMs: 5_000 },
  };
}

const testClient = () => createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });

/** One block at every half hour until now: an uneven chain, as a devnet makes it. */
async function liveThroughThePast(from: number): Promise<void> {
  const client = testClient();
  for (let t = from + 1_800; t < Date.now() / 1_000 - 5; t += 1_800)
    await client.request({ method: 'evm_mine', params: [numberToHex(t)] } as never);
  await client.request({
    method: 'evm_mine',
    params: [numberToHex(Math.floor(Date.now() / 1_000))],
  } as never);
}

beforeAll(async () => {
  const genesis = Math.floor(Date.now() / 1_000) - pastDays * 86_400;
  anvil = await startAnvil({ chainId, args: ['--timestamp', String(genesis)] });
  await provisionLocalChain(testClient() as never, chainId);
  await liveThroughThePast(genesis + 3_600);
  proxy = await startTcpProxy(anvil.rpcUrl);
  chains = createActiveChains({ chains: { base: chainConfig(proxy.url) } });
});
afterAll(async () => {
  await proxy?.stop();
  await anvil?.stop();
});

function create(
  database: DatabaseHandle,
  overrides: { registry?: readonly RegistryEntry[]; now?: () => number } = {},
) {
  const messages: { fields: object; message: string }[] = [];
  const record = (fields: object, message: string) => void messages.push({ fields, message });
  const discovery = createVaultDiscovery({
    ...{ chains, database, registry, options },
    logger: { info: record, warn: record },
    ...overrides,
  });
  return { discovery, messages };
}

describe.each(databaseBackends())('createVaultDiscovery ($name)', ({ open }) => {
  let database: DatabaseHandle;
  let discovery: VaultDiscovery;

  beforeAll(async () => {
    database = await open();
    discovery = create(database).discovery;
    const started = Date.now();
    await discovery.start();
    process.stderr.write(`ranked ${options.backfillHours} hours of a chain in ${Date.now() - started} ms\n`);
  });
  afterAll(async () => {
    await discovery?.stop();
    await database?.close();
  });

  it('default: ranks the vaults of the chain by score', () => {
    const answer = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    expect(answer).toMatchObject({ chain: 'base', chainId, strategy: 'balanced' });
    expect(answer.count).toBe(answer.vaults.length);
    expect(answer.count).toBeGreaterThanOrEqual(6);
    const scores = answer.vaults.map((vault) => vault.compositeScore);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(JSON.stringify(answer)).not.toContain('null');
  });

  it('behavior: measures the APY that the chain pays', () => {
    for (const vault of localVaults[chainId].filter(
      ({ kind }) => kind === 'steady' || kind === 'zero-limit',
    )) {
      const found = discovery.find(vaultIdOf(chainId, vault.address))!;
      expect(found.apy.now).toBeCloseTo(vault.apyPercent, 1);
      expect(found.apy.week).toBeCloseTo(vault.apyPercent, 1);
      expect(found.apy.month).toBeCloseTo(vault.apyPercent, 1);
    }
  });

  it('behavior: lists two USDC vaults, one of low risk; a closed vault and a zero limit are told apart', () => {
    const usdc = discovery.discover({ chain: 'base', asset: 'usdc', strategy: 'balanced', limit: 20 });
    expect(usdc.count).toBeGreaterThanOrEqual(2);
    const low = discovery.discover({
      ...{ chain: 'base', asset: 'USDC', strategy: 'minimize_risk' },
      ...{ riskTolerance: 'low', limit: 20 },
    });
    expect(low.count).toBeGreaterThanOrEqual(1);
    expect(low.vaults.every((vault) => vault.risk.level === 'low')).toBe(true);
    const all = discovery.list('base');
    expect(all).toHaveLength(localVaults[chainId].length);
    for (const { kind, address } of localVaults[chainId]) {
      const vault = discovery.byAddress(chainId, address)!;
      if (kind === 'paused') expect(vault.exclusions).toEqual(['paused']);
      if (kind === 'zero-limit') expect(vault.exclusions).toEqual([]);
    }
  });

  it('behavior: history has a point for every hour and day', async () => {
    const { vaultId } = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 1 }).vaults[0]!;
    for (const [period, least, most] of [
      ['1h', 1, 2],
      ['24h', 24, 25],
      ['7d', 168, 169],
      ['30d', 30, 31],
      ['90d', 35, 37],
    ] as const) {
      const { data, summary } = await discovery.history({ vaultId, period });
      expect(summary.dataPoints).toBe(data.length);
      expect(data.length).toBeGreaterThanOrEqual(least);
      expect(data.length).toBeLessThanOrEqual(most);
      expect(summary.minApy).toBeLessThanOrEqual(summary.avgApy);
      expect(summary.avgTvl).toBeGreaterThan(0);
    }
  });

  it('error: ChainNotActiveError, UnknownVaultError', async () => {
    expect(() => discovery.discover({ chain: 'solana', strategy: 'balanced', limit: 5 })).toThrow(
      ChainNotActiveError,
    );
    await expect(discovery.history({ vaultId: '1', period: '7d' })).rejects.toBeInstanceOf(UnknownVaultError);
  });

  it('behavior: a second start reads only what it missed', async () => {
    const { discovery: second, messages } = create(database);
    const before = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    const started = Date.now();
    await second.start();
    process.stderr.write(`ranked again in ${Date.now() - started} ms\n`);
    const after = second.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    await second.stop();
    expect(messages).toEqual([]);
    expect(after.vaults.map(({ vaultId }) => vaultId)).toEqual(before.vaults.map(({ vaultId }) => vaultId));
  });

  it('behavior: keeps answering while the RPC is down, and recovers', async () => {
    proxy.cut();
    const before = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 })).toEqual(before);
    proxy.restore();
    const { latestSnapshotAt } = discovery.freshness();
    const t = numberToHex(Math.floor(Date.now() / 1_000));
    await testClient().request({ method: 'evm_mine', params: [t] } as never);
    while (discovery.freshness().latestSnapshotAt === latestSnapshotAt)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('healthy');
  });
});

describe('createVaultDiscovery: registry and clock', () => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
  });
  afterAll(() => database.close());

  it('behavior: drops what the chain contradicts, with the reason', async () => {
    const [first, second, third] = registry.filter((entry) => entry.chainId === chainId) as [
      RegistryEntry,
      RegistryEntry,
      RegistryEntry,
    ];
    const wrong = [
      { ...first, asset: { ...first.asset, decimals: 7 } },
      { ...second, asset: { ...second.asset, symbol: 'USDX' } },
      { ...third, address: canonical.multicall3 },
    ];
    const { discovery } = create(database, { registry: wrong });
    await discovery.start();
    await discovery.stop();
    expect(discovery.list('base')).toEqual([]);
    expect(discovery.dropped().map(({ reason }) => reason)).toEqual([
      'the asset has 6 decimals',
      'the asset calls itself USDC',
      'asset() does not answer: not an ERC-4626 vault',
    ]);
  });

  it('behavior: turns stale, then critical, when time passes without a sample', async () => {
    let offset = 0;
    const { discovery } = create(database, { now: () => Date.now() + offset });
    expect(discovery.isStale('base')).toBe(true);
    expect(discovery.isReady()).toBe(false);
    expect(discovery.freshness()).toEqual({ snapshotFreshnessStatus: 'critical', latestSnapshotAt: null });
    await discovery.start();
    await discovery.stop();
    expect(discovery.isReady()).toBe(true);
    expect(discovery.isStale('base')).toBe(false);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('healthy');
    offset = 4 * 3_600_000;
    expect(discovery.isStale('base')).toBe(true);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('stale');
    offset = 48 * 3_600_000;
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('critical');
  });

  it('behavior: a clock that jumps ahead and comes back costs no history', async () => {
    let offset = 0;
    const { discovery } = create(database, { now: () => Date.now() + offset });
    const rankedAgain = async () => {
      const ranked = discovery.list('base');
      while (discovery.list('base') === ranked) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await discovery.start();
    const before = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    offset = 200 * 86_400_000;
    await rankedAgain();
    expect(discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 }).count).toBe(0);
    offset = 0;
    await rankedAgain();
    const after = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    await discovery.stop();
    expect(after.vaults.map(({ vaultId, apy }) => [vaultId, apy.month])).toEqual(
      before.vaults.map(({ vaultId, apy }) => [vaultId, expect.closeTo(apy.month, 1)]),
    );
  });

  it('behavior: an interrupted backfill goes on where it ended', async () => {
    const fresh = await openDatabase({ memory: true });
    const first = create(fresh);
    const starting = first.discovery.start();
    while (first.messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.discovery.stop();
    await starting;
    expect(first.discovery.isReady()).toBe(false);
    const reached = first.messages.at(-1)!.fields as { done: number; total: number };
    expect(reached.done).toBeLessThan(reached.total);

    const second = create(fresh);
    await second.discovery.start();
    await second.discovery.stop();
    const [next] = second.messages.map(({ fields }) => fields as { total: number });
    expect(next!.total).toBeLessThanOrEqual(reached.total - reached.done);
    const { vaultId } = second.discovery.list('base')[0]!;
    const { data } = await second.discovery.history({ vaultId, period: '30d', resolution: 'hourly' });
    expect(data.length).toBeGreaterThanOrEqual(720);
    await fresh.close();
  });

  it('behavior: a chain that began anew is read anew', async () => {
    const fresh = await openDatabase({ memory: true });
    const store = createDatabaseSnapshotStore(fresh);
    const vaultId = vaultIdOf(chainId, registry[0]!.address);
    const vault = (await store.register([{ vaultId, chainId, address: registry[0]!.address }])).get(vaultId)!;
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
    const ofOldChain = buildSnapshot({ vault, t: hour - 50 * 3_600 - 1, totalAssets: 666n });
    await store.save([ofOldChain], [{ vault, from: hour - 900 * 3_600, until: hour - 3_600 }]);
    await store.setAnchor(chainId, { block: 3n, hash: '0x666' });

    const { discovery, messages } = create(fresh);
    await discovery.start();
    await discovery.stop();
    expect(messages[0]!.message).toContain('not the chain that was sampled before');
    const snapshots = await store.read([vault], 0);
    expect(snapshots.length).toBeGreaterThan(800);
    expect(snapshots.some(({ totalAssets }) => totalAssets === 666n)).toBe(false);
    await fresh.close();
  });
});
