import { createActiveChains } from '@yield-vault/chains';
import {
  ChainNotActiveError,
  DataStaleError,
  InvalidParametersError,
  UnknownVaultError,
  type VaultReport,
} from '@yield-vault/protocol';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { buildColumns } from '../../test/build-columns.js';
import { buildHourlySnapshots } from '../../test/build-snapshots.js';
import { buildSummaryRow } from '../../test/build-summary.js';
import { createMemoryReportStore } from '../../test/memory-report-store.js';
import { type StoredReport, silentLogger } from '../ports.js';
import type { VaultSampler } from '../vault-sampler.js';
import { serveDiscovery, type ServeDiscoveryDeps } from './serve-discovery.js';

const now = 1_795_046_400;
const chainId = 8453;
const chains = createActiveChains({
  chains: { base: buildChainConfig(), ethereum: buildChainConfig({ chainId: 1 }) },
});

const toReport = (row: ReturnType<typeof buildSummaryRow>): StoredReport => ({
  ...row,
  report: {
    ...row.summary,
    data: { latestSnapshotAt: new Date((now - 90) * 1_000).toISOString() },
  } as unknown as VaultReport,
});
const reportsOf = (id: number, count: number): StoredReport[] =>
  Array.from({ length: count }, (_, index) =>
    toReport(buildSummaryRow(index + 1, { chainId: id, chain: id === 1 ? 'ethereum' : 'base' })),
  );

function create(overrides: Partial<ServeDiscoveryDeps> = {}) {
  const reports = createMemoryReportStore();
  let seconds = now;
  const discovery = serveDiscovery({
    chains,
    stores: {
      reports,
      snapshots: {
        readSeries: async function* (vaults) {
          const snapshots = buildHourlySnapshots({ end: now - 60, hours: 10 * 24 });
          yield { vault: vaults[0]!, columns: await Promise.resolve(buildColumns(snapshots)) };
        },
      },
    },
    options: { maxRankingAgeSeconds: 600, followIntervalSeconds: 0.001 },
    now: () => seconds * 1_000,
    logger: silentLogger,
    ...overrides,
  });
  const rank = (id: number, count: number, newestSnapshot = now - 90) =>
    reports.save(id, newestSnapshot, reportsOf(id, count), []);
  /** Resolves once it holds; otherwise the test times out. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { discovery, reports, rank, until, wait: (by: number) => (seconds += by) };
}

/** Discovery with both chains ranked. */
async function createRanked(overrides: Partial<ServeDiscoveryDeps> = {}) {
  const parts = create(overrides);
  await parts.rank(chainId, 3);
  await parts.rank(1, 2);
  await parts.discovery.start();
  return parts;
}

describe('serveDiscovery', () => {
  it('behavior: a frozen request has the same response until the next ranking', async () => {
    const { discovery, rank, until } = await createRanked();
    const request = Object.freeze({ chain: 'base', strategy: 'balanced', limit: 20 } as const);
    const response = discovery.discover(request);
    expect(discovery.discover(request)).toBe(response);
    expect(discovery.discover({ ...request })).toEqual(response);
    await rank(chainId, 4, now);
    await until(() => discovery.list('base').length === 4);
    expect(discovery.discover(request).count).toBe(4);
    await discovery.stop();
  });

  it('default: answers from the store', async () => {
    const { discovery } = await createRanked();
    expect(discovery.discover({ chain: 'base', strategy: 'balanced', limit: 2 })).toMatchObject({
      ...{ chain: 'base', chainId, strategy: 'balanced', count: 2 },
      vaults: [{ asset: 'USDC', compositeScore: 68.37 }, {}],
    });
    expect(discovery.list('base')).toHaveLength(3);
    expect(discovery.list('solana')).toEqual([]);
    const [vault] = discovery.best('ethereum', 'usdc', 'balanced');
    expect(vault).toMatchObject({ chainId: 1, assetPriceUsd: 1 });
    expect(discovery.find(vault!.vaultId)).toBe(discovery.byAddress(1, vault!.vaultAddress));
    const unsampled = {
      ...{ rejected: 0, newestSnapshot: now - 90, samplingFailures: 0, isSamplingStopped: false },
    };
    expect(discovery.chainStates()).toEqual([
      { chain: 'base', vaults: 3, listed: 3, ...unsampled },
      { chain: 'ethereum', vaults: 2, listed: 2, ...unsampled },
    ]);
    await discovery.stop();
  });

  it('behavior: explains a vault, with its age at the time of the request', async () => {
    const { discovery, wait } = await createRanked();
    const { vaultId } = discovery.list('base')[0]!;
    wait(10);
    expect(await discovery.explain(vaultId)).toMatchObject({
      vaultId,
      compositeScores: { balanced: 68.37 },
      data: { ageSeconds: 100 },
    });
    await discovery.stop();
  });

  it('behavior: pages through one chain, or all of them', async () => {
    const { discovery } = await createRanked();
    expect(discovery.page({ limit: 20 })).toMatchObject({ count: 5, total: 5, nextCursor: null });
    expect(discovery.page({ chain: 'ethereum', limit: 1 })).toMatchObject({ count: 1, total: 2 });
    expect(() => discovery.page({ chain: 'solana', limit: 1 })).toThrow(ChainNotActiveError);
    expect(() => discovery.page({ limit: 1, cursor: '?' })).toThrow(InvalidParametersError);
    await discovery.stop();
  });

  it('behavior: history comes from the store', async () => {
    const { discovery } = await createRanked();
    const { vaultId } = discovery.list('base')[0]!;
    const { data, summary } = await discovery.history({ vaultId, period: '24h' });
    expect(data).toHaveLength(24);
    expect(summary.avgApy).toBeCloseTo(5, 3);
    await discovery.stop();
  });

  it('error: UnknownVaultError, ChainNotActiveError; DataStaleError before the first ranking', async () => {
    const { discovery, rank, until } = create();
    const started = discovery.start();
    expect(discovery.isReady()).toBe(false);
    expect(() => discovery.discover({ chain: 'base', strategy: 'balanced', limit: 5 })).toThrow(
      DataStaleError,
    );
    expect(() => discovery.page({ limit: 5 })).toThrow(DataStaleError);
    await rank(chainId, 1);
    await until(() => discovery.list('base').length > 0);
    expect(() => discovery.page({ limit: 5 })).toThrow(DataStaleError);
    expect(discovery.page({ chain: 'base', limit: 5 })).toMatchObject({ total: 1 });
    expect(() => discovery.discover({ chain: 'solana', strategy: 'balanced', limit: 5 })).toThrow(
      ChainNotActiveError,
    );
    await expect(discovery.explain('1')).rejects.toBeInstanceOf(UnknownVaultError);
    await expect(discovery.history({ vaultId: '1', period: '7d' })).rejects.toBeInstanceOf(UnknownVaultError);
    await discovery.stop();
    await started;
  });

  it('behavior: turns stale, then critical, when time passes without a snapshot', async () => {
    const { discovery, wait } = await createRanked();
    expect(discovery.isStale('base')).toBe(false);
    expect(discovery.isStale('solana')).toBe(true);
    expect(discovery.freshness()).toEqual({
      snapshotFreshnessStatus: 'healthy',
      latestSnapshotAt: new Date((now - 90) * 1_000).toISOString(),
    });
    wait(511);
    expect(discovery.isStale('base')).toBe(true);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('stale');
    wait(1_800);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('critical');
    await discovery.stop();
  });

  it('behavior: freshness is reported for the chain that is furthest behind', async () => {
    const { discovery, rank, until } = await createRanked();
    await rank(1, 1, now - 700);
    await until(() => discovery.list('ethereum').length === 1);
    expect(discovery.freshness()).toEqual({
      snapshotFreshnessStatus: 'stale',
      latestSnapshotAt: new Date((now - 700) * 1_000).toISOString(),
    });
    await discovery.stop();
  });
});

describe('serveDiscovery: with a sampler', () => {
  const calls: string[] = [];
  const sampler: VaultSampler = {
    start: () => void calls.push('start'),
    stop: () => Promise.resolve(void calls.push('stop')),
    isLeader: () => true,
    isStopped: (id) => id !== chainId,
    failuresOf: (id) => (id === chainId ? 2 : 0),
  };

  it('default: starts and stops it, and serves the store all the same', async () => {
    const { discovery, rank, until } = await createRanked({ sampler });
    expect(discovery.isSampling()).toBe(true);
    await rank(chainId, 1);
    await until(() => discovery.list('base').length === 1);
    expect(discovery.chainStates().map(({ samplingFailures }) => samplingFailures)).toEqual([2, 0]);
    expect(discovery.chainStates().map(({ isSamplingStopped }) => isSamplingStopped)).toEqual([false, true]);
    await discovery.stop();
    expect(calls).toEqual(['start', 'stop']);
  });

  it('behavior: without one this process does not sample', async () => {
    const { discovery } = await createRanked();
    expect([discovery.isReady(), discovery.isSampling()]).toEqual([true, false]);
    await discovery.stop();
  });

  it('behavior: start resolves on stop', async () => {
    const { discovery } = create();
    const started = discovery.start();
    await discovery.stop();
    await started;
    expect(discovery.isReady()).toBe(false);
  });
});
