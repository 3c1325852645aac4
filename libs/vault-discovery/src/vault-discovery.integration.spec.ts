import { type ActiveChains, createActiveChains } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import { localRegistry, localVaults, provisionLocalChain } from '@yield-vault/testing/local';
import { openDatabase } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import {
  createTemporaryPostgres,
  databaseBackends,
  isPostgresReachable,
} from '@yield-vault/database/testing';
import { ChainNotActiveError, UnknownVaultError, vaultIdOf } from '@yield-vault/protocol';
import { type Anvil, startAnvil, startTcpProxy, type TcpProxy } from '@yield-vault/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestClient, http, numberToHex } from 'viem';
import { buildChainConfig } from '../test/build-chain-config.js';
import { parseRegistry } from './catalogue/parse-registry.js';
import type { DiscoveryOptions } from './discovery-schema.js';
import type { RegistryEntry, VaultDiscovery } from './types.js';
import { createStandaloneSampler, createVaultDiscovery } from './vault-discovery.js';

jest.setTimeout(180_000);

const pastDays = 12;
const chainId = 8453;
// Without the vault whose views are expensive: they take minutes of a local chain, and no test here is about them.
const vaults = localVaults[chainId].filter(({ kind }) => kind !== 'gas-bomb');
const registry = parseRegistry(localRegistry()).filter((entry) =>
  vaults.some(({ address }) => address === entry.address),
);

let anvil: Anvil;
let proxy: TcpProxy;
let chains: ActiveChains;

const options: DiscoveryOptions = {
  sampleIntervalSeconds: 1,
  followIntervalSeconds: 1,
  backfillHours: 11 * 24,
  maxRankingAgeSeconds: 10_800,
  minTvlUsd: 100_000,
  multicallBatchSize: 200,
};

const testClient = () => createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
const mine = (t: number) =>
  testClient().request({ method: 'evm_mine', params: [numberToHex(Math.floor(t))] } as never);

/** One block at every half hour until now: an uneven chain, as a devnet makes it. */
async function liveThroughThePast(from: number): Promise<void> {
  for (let t = from + 1_800; t < Date.now() / 1_000 - 5; t += 1_800) await mine(t);
  await mine(Date.now() / 1_000);
}

beforeAll(async () => {
  const genesis = Math.floor(Date.now() / 1_000) - pastDays * 86_400;
  anvil = await startAnvil({ chainId, args: ['--timestamp', String(genesis)] });
  await provisionLocalChain(testClient() as never, chainId);
  await liveThroughThePast(genesis + 3_600);
  proxy = await startTcpProxy(anvil.rpcUrl);
  chains = createActiveChains({ chains: { base: buildChainConfig({ rpcUrls: [proxy.url] }) } });
});
afterAll(async () => {
  await proxy?.stop();
  await anvil?.stop();
});

interface Overrides {
  readonly registry?: readonly RegistryEntry[];
  readonly now?: () => number;
  readonly options?: DiscoveryOptions;
}

function create(database: DatabaseHandle, overrides: Overrides = {}) {
  const messages: string[] = [];
  const record = (_fields: object, message: string) => void messages.push(message);
  const logger = { info: record, warn: record, error: record };
  const discovery = createVaultDiscovery({ chains, database, registry, options, logger, ...overrides });
  return { discovery, messages };
}

/** Resolves once it holds; the test ends by its own limit when it never does. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

const rankedIds = (discovery: VaultDiscovery) =>
  discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 }).vaults.map(({ vaultId }) => vaultId);

describe.each(databaseBackends())('createVaultDiscovery ($name)', ({ open }) => {
  let database: DatabaseHandle;
  let discovery: VaultDiscovery;
  let steadyId: string;

  beforeAll(async () => {
    database = await open();
    discovery = create(database).discovery;
    await discovery.start();
    steadyId = vaultIdOf(chainId, vaults.find(({ kind }) => kind === 'steady')!.address);
    // The first ranking does not wait for the whole past.
    await until(
      async () => (await discovery.history({ vaultId: steadyId, period: '30d' })).data.length >= 11,
    );
  });
  afterAll(async () => {
    await discovery?.stop();
    await database?.close();
  });

  it('default: ranks the vaults of the chain by score', () => {
    const response = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    expect(response).toMatchObject({ chain: 'base', chainId, strategy: 'balanced' });
    expect(response.count).toBe(response.vaults.length);
    expect(response.count).toBeGreaterThanOrEqual(6);
    const scores = response.vaults.map((vault) => vault.compositeScore);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(JSON.stringify(response)).not.toContain('null');
    expect(discovery.isSampling()).toBe(true);
  });

  it('behavior: measures the APY that the chain pays', () => {
    for (const vault of vaults.filter(({ kind }) => kind === 'steady' || kind === 'zero-limit')) {
      const found = discovery.find(vaultIdOf(chainId, vault.address))!;
      expect(found.apy.now).toBeCloseTo(vault.apyPercent, 1);
      expect(found.apy.week).toBeCloseTo(vault.apyPercent, 1);
    }
  });

  it('behavior: vaults that take no deposits, and entries that the chain contradicts, are reported apart', () => {
    const low = discovery.discover({
      ...{ chain: 'base', asset: 'usdc', strategy: 'minimize_risk' },
      ...{ riskTolerance: 'low', limit: 20 },
    });
    expect(low.count).toBeGreaterThanOrEqual(1);
    expect(low.vaults.every(({ risk }) => risk.level === 'low')).toBe(true);
    const exclusionsOf = (kind: string) =>
      vaults
        .filter((vault) => vault.kind === kind)
        .map(({ address }) => discovery.byAddress(chainId, address)?.exclusions);
    expect(exclusionsOf('paused')).toEqual([['capability:paused']]);
    expect(exclusionsOf('whitelist')).toEqual([['capability:whitelist']]);
    expect(exclusionsOf('zero-limit')).toEqual([[]]);
    expect(exclusionsOf('impostor')).toEqual([['flag:impostor-name']]);
    const { address, asset } = vaults.find(({ kind }) => kind === 'mislabelled')!;
    const contradicted = discovery.byAddress(chainId, address)!;
    expect(contradicted.exclusions[0]).toBe('contradicted:asset');
    expect(contradicted).toMatchObject({
      ...{
        listed: false,
        assetPriceUsd: discovery.list('base').find((one) => one.asset.symbol === asset)!.assetPriceUsd,
      },
      asset: { symbol: asset, address: canonical.weth[chainId], decimals: 18 },
    });
    expect(discovery.rejected()).toMatchObject([
      { chain: 'base', reason: expect.stringContaining('asset() is') as string },
    ]);
    expect(discovery.chainStates()).toMatchObject([
      { chain: 'base', vaults: discovery.list('base').length, rejected: 1 },
    ]);
  });

  it('behavior: explains every vault, and pages through all of them', async () => {
    const ids = discovery.list('base').map(({ vaultId }) => vaultId);
    expect(ids).toHaveLength(vaults.length);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = discovery.page({ chain: 'base', limit: 4, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.vaults.map(({ vaultId }) => vaultId));
      expect(page.total).toBe(ids.length);
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(ids);
    for (const vaultId of ids) {
      const { name, exclusions, risk } = discovery.find(vaultId)!;
      const report = await discovery.explain(vaultId);
      expect(report).toMatchObject({ vaultId, name, exclusions, risk: { rating: risk.rating } });
      const isSampled = !exclusions.some((exclusion) => exclusion.startsWith('contradicted:'));
      expect(report.data.ageSeconds !== null).toBe(isSampled);
      expect(report.data.ageSeconds ?? 0).toBeLessThan(600);
      const { factors } = report.explanation.risk;
      expect(factors.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(100, 9);
      expect(report.capability !== null).toBe(isSampled);
    }
  });

  it.each([
    ['1h', 1, 2],
    ['24h', 24, 25],
    ['7d', 168, 169],
    ['30d', 11, 13],
    ['90d', 11, 13],
  ] as const)('behavior: history of %s has every hour or day', async (period, least, most) => {
    const { data, summary } = await discovery.history({ vaultId: steadyId, period });
    expect(summary.dataPoints).toBe(data.length);
    expect(data.length).toBeGreaterThanOrEqual(least);
    expect(data.length).toBeLessThanOrEqual(most);
    expect(summary.minApy).toBeLessThanOrEqual(summary.avgApy);
    expect(summary.avgTvl).toBeGreaterThan(0);
  });

  it('error: ChainNotActiveError, UnknownVaultError', async () => {
    const elsewhere = { chain: 'solana', strategy: 'balanced', limit: 5 } as const;
    expect(() => discovery.discover(elsewhere)).toThrow(ChainNotActiveError);
    await expect(discovery.history({ vaultId: '1', period: '7d' })).rejects.toBeInstanceOf(UnknownVaultError);
    await expect(discovery.explain('1')).rejects.toBeInstanceOf(UnknownVaultError);
  });

  it('behavior: keeps answering while the RPC is down, and recovers', async () => {
    const { latestSnapshotAt } = discovery.freshness();
    proxy.cut();
    const before = rankedIds(discovery);
    await mine(Date.now() / 1_000);
    await pause(2_500);
    expect(rankedIds(discovery)).toEqual(before);
    expect(discovery.freshness()).toMatchObject({ latestSnapshotAt });
    proxy.restore();
    await until(() => discovery.freshness().latestSnapshotAt !== latestSnapshotAt);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('healthy');
  });

  it('behavior: a second start reads only missed hours', async () => {
    const before = rankedIds(discovery);
    await discovery.stop();
    const { discovery: second, messages } = create(database);
    await second.start();
    const after = rankedIds(second);
    await second.stop();
    expect(messages).not.toContain('reading past hours');
    expect(after).toEqual(before);
  });
});

describe('createVaultDiscovery: registry and clock', () => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
  });
  afterAll(() => database.close());

  it('behavior: reports contradicted entries; an address without a vault is unknown', async () => {
    const [first, second, third] = registry as [RegistryEntry, RegistryEntry, RegistryEntry];
    const wrong = [
      { ...first, asset: { ...first.asset, decimals: 7 } },
      { ...second, asset: { ...second.asset, symbol: 'USDX' } },
      { ...third, address: canonical.multicall3 },
    ];
    const { discovery } = create(database, { registry: wrong });
    await discovery.start();
    await discovery.stop();
    const { vaults: offered } = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
    expect(offered).toEqual([]);
    const known = discovery.list('base').map(({ vaultAddress, asset }) => [vaultAddress, asset]);
    expect(new Map(known as never)).toEqual(
      new Map([
        [first.address, first.asset],
        [second.address, { ...second.asset, symbol: 'USDX' }],
      ]),
    );
    expect(new Set(discovery.rejected().map(({ reason }) => reason))).toEqual(
      new Set([
        'the asset has 6 decimals',
        'the asset calls itself USDC',
        'asset() does not respond: not an ERC-4626 vault',
      ]),
    );
  });

  it('behavior: a clock that jumps ahead and comes back costs no history', async () => {
    let offset = 0;
    const { discovery } = create(database, { now: () => Date.now() + offset });
    const rankedAgain = async () => {
      const ranked = discovery.list('base');
      await until(() => discovery.list('base') !== ranked);
    };
    await discovery.start();
    await until(() => rankedIds(discovery).length > 0);
    const before = rankedIds(discovery);
    offset = 200 * 86_400_000;
    await rankedAgain();
    await rankedAgain();
    expect(rankedIds(discovery)).toEqual([]);
    offset = 0;
    await until(() => rankedIds(discovery).length === before.length);
    expect(rankedIds(discovery).sort()).toEqual(before.sort());
    await discovery.stop();
  });
});

const replicas = () => {
  let temporary: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let databases: DatabaseHandle[];

  beforeEach(async () => {
    temporary = await createTemporaryPostgres();
    databases = await Promise.all([1, 2].map(() => openDatabase({ url: temporary.url })));
  });
  afterEach(async () => {
    for (const database of databases) await database.close();
    await temporary.drop();
  });

  it('default: one of two samples, both serve the same; when it stops the other one continues', async () => {
    const [first, second] = databases.map((database) => create(database).discovery) as [
      VaultDiscovery,
      VaultDiscovery,
    ];
    await Promise.all([first.start(), second.start()]);
    const [leader, follower] = first.isSampling() ? [first, second] : [second, first];
    expect([leader.isSampling(), follower.isSampling()]).toEqual([true, false]);
    const freshAs = async (t: number) => {
      await mine(t);
      const isFresh = (one: VaultDiscovery) => Date.parse(one.freshness().latestSnapshotAt!) >= t * 1_000;
      await until(() => isFresh(follower));
      return isFresh;
    };
    await freshAs(Math.floor(Date.now() / 1_000));
    await until(() => follower.list('base').length === leader.list('base').length);
    expect(follower.rejected()).toEqual(leader.rejected());
    const { vaultId } = follower.list('base')[0]!;
    expect((await follower.explain(vaultId)).data).toMatchObject({
      ageSeconds: expect.any(Number) as number,
    });

    await leader.stop();
    await until(() => follower.isSampling());
    await freshAs(Math.floor(Date.now() / 1_000) + 1);
    expect(rankedIds(follower).length).toBeGreaterThan(0);
    await follower.stop();
  });

  it('behavior: a sampler of its own feeds processes that never sample', async () => {
    const sampler = createStandaloneSampler({ chains, database: databases[0]!, registry, options });
    const { discovery } = create(databases[1]!, { options: { ...options, sampler: 'external' } });
    const started = discovery.start();
    await pause(1_500);
    expect(discovery.isReady()).toBe(false);
    sampler.start();
    await started;
    expect(sampler.isLeader()).toBe(true);
    expect(discovery.isSampling()).toBe(false);
    expect(discovery.list('base').length).toBeGreaterThan(0);
    await sampler.stop();
    expect(sampler.isLeader()).toBe(false);
    await discovery.stop();
  });
};

// Without a server the suite says so in its title and only checks that it did not overlook one.
describe(
  isPostgresReachable()
    ? 'createVaultDiscovery in two processes'
    : 'createVaultDiscovery in two processes (PostgreSQL not reachable: not run)',
  isPostgresReachable()
    ? replicas
    : () => {
        it('is still not reachable', () => expect(isPostgresReachable()).toBe(false));
      },
);
