import { createActiveChains } from '@yield-vault/chains';
import { startJobs } from '@yield-vault/database';
import {
  ChainNotActiveError,
  DataStaleError,
  silentLogger,
  UnknownVaultError,
  type VaultReport,
} from '@yield-vault/protocol';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { buildColumns } from '../../test/build-columns.js';
import { buildHourlySnapshots } from '../../test/build-snapshots.js';
import { buildSummaryRow } from '../../test/build-summary.js';
import { createMemoryReportStore } from '../../test/memory-report-store.js';
import type { StoredReport } from '../ports.js';
import type { VaultDiscovery } from '../types.js';
import { serveDiscovery } from './serve-discovery.js';

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

/** Stops what the test created. */
let stop: () => Promise<void>;

function create() {
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
  });
  ({ stop } = startJobs(() => [discovery.job]));
  const rank = (id: number, count: number, newestSnapshot = now - 90) =>
    reports.save(id, newestSnapshot, reportsOf(id, count), []);
  /** Resolves once it holds; otherwise the test times out. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { discovery, reports, rank, until, wait: (by: number) => (seconds += by) };
}

const isEveryChainRanked = (discovery: VaultDiscovery) =>
  ['base', 'ethereum'].every((chain) => discovery.isRanked(chain));

/** Discovery with both chains ranked. */
async function createRanked() {
  const parts = create();
  await parts.rank(chainId, 3);
  await parts.rank(1, 2);
  await parts.until(() => isEveryChainRanked(parts.discovery));
  return parts;
}
afterEach(() => stop());

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
  });

  it('default: responds from the store', async () => {
    const { discovery } = await createRanked();
    expect(discovery.discover({ chain: 'base', strategy: 'balanced', limit: 2 })).toMatchObject({
      chain: 'base',
      chainId,
      strategy: 'balanced',
      count: 2,
      vaults: [{ asset: 'USDC', compositeScore: 68.37 }, {}],
    });
    const none = { chain: 'base', strategy: 'balanced', limit: 2, minApy: 99 } as const;
    expect(discovery.discover(none)).toMatchObject({ count: 0, vaults: [] });
    expect(discovery.list('base')).toHaveLength(3);
    expect(discovery.list('solana')).toEqual([]);
    const [vault] = discovery.best('ethereum', 'usdc', 'balanced');
    expect(vault).toMatchObject({ chainId: 1, assetPriceUsd: 1 });
    expect(discovery.find(vault!.vaultId)).toBe(discovery.byAddress(1, vault!.vaultAddress));
    const ranked = { rejected: 0, newestSnapshot: now - 90 };
    expect(discovery.chainStates()).toEqual([
      { chain: 'base', vaults: 3, listed: 3, ...ranked },
      { chain: 'ethereum', vaults: 2, listed: 2, ...ranked },
    ]);
  });

  it('behavior: explains a vault, with its age at the time of the request; history comes from the store', async () => {
    const { discovery, wait } = await createRanked();
    const { vaultId } = discovery.list('base')[0]!;
    wait(10);
    const explained = { vaultId, compositeScores: { balanced: 68.37 }, data: { ageSeconds: 100 } };
    expect(await discovery.explain(vaultId)).toMatchObject(explained);
    expect((await discovery.history({ vaultId, period: '24h' })).data).toHaveLength(24);
  });

  it('behavior: pages through one chain, or all of them', async () => {
    const { discovery } = await createRanked();
    expect(discovery.page({ limit: 20 })).toMatchObject({ count: 5, total: 5, nextCursor: null });
    expect(discovery.page({ chain: 'ethereum', limit: 1 })).toMatchObject({ count: 1, total: 2 });
    expect(() => discovery.page({ chain: 'solana', limit: 1 })).toThrow(ChainNotActiveError);
  });

  it('error: ChainNotActiveError; DataStaleError before the first ranking', async () => {
    const { discovery, rank, until } = create();
    const discover = (chain: string) => discovery.discover({ chain, strategy: 'balanced', limit: 5 });
    expect(discovery.isRanked('base')).toBe(false);
    expect(() => discover('base')).toThrow(DataStaleError);
    await rank(chainId, 1);
    await until(() => discovery.chainStates()[0]!.vaults > 0);
    expect(['base', 'ethereum', 'solana'].map((chain) => discovery.isRanked(chain))).toEqual([
      true,
      false,
      false,
    ]);
    expect(discovery.page({ chain: 'base', limit: 5 })).toMatchObject({ total: 1 });
    expect(() => discovery.page({ limit: 5 })).toThrow(DataStaleError);
    expect(() => discover('solana')).toThrow(ChainNotActiveError);
  });

  it('error: DataStaleError for a missing vault before every chain is ranked, UnknownVaultError after', async () => {
    const { discovery, rank, until } = create();
    await rank(chainId, 1);
    await until(() => discovery.chainStates()[0]!.vaults > 0);
    const [vault] = discovery.list('base');
    expect(discovery.find(vault!.vaultId)).toBe(vault);
    expect(() => discovery.find('1')).toThrow(DataStaleError);
    expect(() => discovery.byAddress(1, vault!.vaultAddress)).toThrow(DataStaleError);
    expect(() => discovery.list('ethereum')).toThrow(DataStaleError);
    const query = { vaultId: '1', period: '7d' } as const;
    await expect(discovery.explain('1')).rejects.toBeInstanceOf(DataStaleError);
    await expect(discovery.history(query)).rejects.toBeInstanceOf(DataStaleError);
    await rank(1, 0);
    await until(() => discovery.chainStates().every(({ newestSnapshot }) => newestSnapshot !== undefined));
    // It lists no vault.
    expect(discovery.isRanked('ethereum')).toBe(false);
    expect(discovery.find('1')).toBeUndefined();
    expect(discovery.byAddress(1, vault!.vaultAddress)).toBeUndefined();
    expect(discovery.list('ethereum')).toEqual([]);
    await expect(discovery.explain('1')).rejects.toBeInstanceOf(UnknownVaultError);
    await expect(discovery.history(query)).rejects.toBeInstanceOf(UnknownVaultError);
  });

  it('behavior: turns stale, then critical, when time passes without a snapshot', async () => {
    const { discovery, wait } = await createRanked();
    expect([discovery.isStale('base'), discovery.isStale('solana')]).toEqual([false, true]);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('healthy');
    wait(511);
    expect(discovery.isStale('base')).toBe(true);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('stale');
    wait(1_800);
    expect(discovery.freshness().snapshotFreshnessStatus).toBe('critical');
  });

  it('behavior: freshness is reported for the chain that is furthest behind', async () => {
    const { discovery, rank, until } = await createRanked();
    await rank(1, 1, now - 700);
    await until(() => discovery.list('ethereum').length === 1);
    expect(discovery.freshness()).toEqual({
      snapshotFreshnessStatus: 'stale',
      latestSnapshotAt: new Date((now - 700) * 1_000).toISOString(),
    });
  });
});
