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
import type { StoredReport } from '../ports.js';
import type { ChainReports, VaultSampler } from '../vault-sampler.js';
import { serveDiscovery, type SamplerEvents, type ServeDiscoveryDeps } from './serve-discovery.js';

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
const reportsOf = (id: number, count: number, newestSnapshot = now - 90): ChainReports => ({
  ...{ chainId: id, version: 1n, newestSnapshot, dropped: [] },
  reports: Array.from({ length: count }, (_, index) =>
    toReport(buildSummaryRow(index + 1, { chainId: id, chain: id === 1 ? 'ethereum' : 'base' })),
  ),
});

/** A sampler that does what the test tells it. */
function create(overrides: Partial<ServeDiscoveryDeps> & { isExternal?: boolean } = {}) {
  const { isExternal = false, ...rest } = overrides;
  const reports = createMemoryReportStore();
  let events: SamplerEvents | undefined;
  let isLeader = false;
  const sampler: VaultSampler = {
    start: () => undefined,
    stop: () => Promise.resolve(),
    isLeader: () => isLeader,
  };
  const lead = (leads: boolean) => {
    isLeader = leads;
    events!.onLead(leads);
  };
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
    ...(!isExternal && {
      samplerOf: (given) => {
        events = given;
        return sampler;
      },
    }),
    options: { maxRankingAgeSeconds: 600, followIntervalSeconds: 0.001 },
    now: () => seconds * 1_000,
    logger: { info: () => undefined, warn: () => undefined },
    ...rest,
  });
  /** Resolves once it holds; the test ends by its own limit when it never does. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { discovery, reports, lead, until, events: () => events!, wait: (by: number) => (seconds += by) };
}

/** Discovery that samples itself, and has measured both chains. */
async function createRanked(count = 3) {
  const parts = create();
  const started = parts.discovery.start();
  parts.lead(true);
  await parts.events().onReports(reportsOf(8453, count));
  await parts.events().onReports(reportsOf(1, 2));
  await started;
  return parts;
}

describe('serveDiscovery', () => {
  it('default: answers from what was measured', async () => {
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
    expect(discovery.chainStates()).toEqual([
      { chain: 'base', vaults: 3, listed: 3, dropped: 0, newestSnapshot: now - 90, samplingFailures: 0 },
      { chain: 'ethereum', vaults: 2, listed: 2, dropped: 0, newestSnapshot: now - 90, samplingFailures: 0 },
    ]);
    await discovery.stop();
  });

  it('behavior: explains a vault with its age of now', async () => {
    const { discovery, reports, wait } = await createRanked();
    const saved = reportsOf(chainId, 3);
    await reports.save(chainId, saved.newestSnapshot, saved.reports, []);
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
    const { discovery, lead, events } = create();
    const started = discovery.start();
    expect(discovery.isReady()).toBe(false);
    expect(() => discovery.discover({ chain: 'base', strategy: 'balanced', limit: 5 })).toThrow(
      DataStaleError,
    );
    expect(() => discovery.page({ limit: 5 })).toThrow(DataStaleError);
    lead(true);
    await events().onReports(reportsOf(chainId, 1));
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

  it('behavior: freshness is that of the chain that is behind most', async () => {
    const { discovery, events } = await createRanked();
    await events().onReports(reportsOf(1, 2, now - 700));
    expect(discovery.freshness()).toEqual({
      snapshotFreshnessStatus: 'stale',
      latestSnapshotAt: new Date((now - 700) * 1_000).toISOString(),
    });
    await discovery.stop();
  });
});

describe('serveDiscovery: who samples', () => {
  it('behavior: nothing of the store is served before it is known who samples', async () => {
    const { discovery, reports, until, events } = create();
    await reports.saveRows(8453, now - 90, [buildSummaryRow(1)]);
    const started = discovery.start();
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(reports.looks()).toBe(0);
    expect(discovery.chainStates()[0]).toMatchObject({ vaults: 0 });

    events().onOther();
    await until(() => discovery.chainStates()[0]!.vaults === 1);
    expect(discovery.isSampling()).toBe(false);
    await discovery.stop();
    await started;
  });

  it('behavior: who samples never asks the store, and serves only what it measured', async () => {
    const { discovery, reports, lead, events } = create();
    await reports.saveRows(8453, now - 90, [buildSummaryRow(1), buildSummaryRow(2)]);
    const started = discovery.start();
    lead(true);
    expect(discovery.isSampling()).toBe(true);
    await events().onReports(reportsOf(chainId, 1));
    expect(discovery.chainStates()[0]).toMatchObject({ vaults: 1 });
    // A vault that is no longer measured is gone with the next reports.
    await events().onReports({ ...reportsOf(chainId, 3), reports: reportsOf(chainId, 3).reports.slice(1) });
    expect(discovery.chainStates()[0]).toMatchObject({ vaults: 2 });
    expect(reports.looks()).toBe(0);
    await discovery.stop();
    await started;
  });

  it('behavior: who is elected goes on serving what it followed until it has measured', async () => {
    const { discovery, reports, lead, until, events } = create();
    await reports.saveRows(8453, now - 90, [buildSummaryRow(1)]);
    await reports.saveRows(1, now - 90, [buildSummaryRow(9, { chainId: 1, chain: 'ethereum' })]);
    const started = discovery.start();
    events().onOther();
    await started;
    lead(true);
    const looks = reports.looks();
    expect(discovery.chainStates()[0]).toMatchObject({ vaults: 1 });
    await events().onReports(reportsOf(chainId, 3));
    expect(discovery.chainStates()[0]).toMatchObject({ vaults: 3 });
    expect(reports.looks()).toBe(looks);
    lead(false);
    await until(() => reports.looks() > looks);
    await discovery.stop();
  });

  it('behavior: failures to sample are counted by chain', async () => {
    const { discovery, events } = await createRanked();
    events().onFailure(chainId);
    events().onFailure(chainId);
    expect(discovery.chainStates().map(({ samplingFailures }) => samplingFailures)).toEqual([2, 0]);
    await discovery.stop();
  });

  it('behavior: with an external sampler the store is followed from the start', async () => {
    const { discovery, reports } = create({ isExternal: true });
    await reports.saveRows(8453, now - 90, [buildSummaryRow(1)]);
    await reports.saveRows(1, now - 90, [buildSummaryRow(9, { chainId: 1, chain: 'ethereum' })]);
    await discovery.start();
    expect(discovery.isReady()).toBe(true);
    expect(discovery.isSampling()).toBe(false);
    await discovery.stop();
  });

  it('behavior: start resolves on stop', async () => {
    const { discovery } = create({ isExternal: true });
    const started = discovery.start();
    await discovery.stop();
    await started;
    expect(discovery.isReady()).toBe(false);
  });
});
