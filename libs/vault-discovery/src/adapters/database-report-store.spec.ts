import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { getAddress } from 'viem';
import { buildStoredReport } from '../../test/build-stored-report.js';
import type { ReportStore } from '../ports.js';
import { createDatabaseReportStore } from './database-report-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(120_000);

const t = 1_790_000_000;
const addressOf = (index: number) => getAddress(`0x${(index + 0xaa).toString(16).padStart(40, '0')}`);

describe.each(databaseBackends())('createDatabaseReportStore ($name)', ({ open }) => {
  let database: DatabaseHandle;
  let store: ReportStore;
  let ids: readonly number[];
  let chainId = 100;

  beforeAll(async () => {
    database = await open();
    store = createDatabaseReportStore(database);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    chainId += 1;
    ids = await register(3);
  });

  /** Vaults of a chain of this test's own; their public ids count up from a million times its id. */
  const register = async (count: number): Promise<readonly number[]> => {
    const found = await createDatabaseSnapshotStore(database).register(
      Array.from({ length: count }, (_, index) => ({
        vaultId: String(chainId * 1_000_000 + index),
        chainId,
        address: addressOf(index),
      })),
    );
    return [...found.entries()].sort(([a], [b]) => Number(a) - Number(b)).map(([, id]) => id);
  };
  const report = (vault: number, name = 'Steady USDC') =>
    buildStoredReport({
      vault,
      summary: {
        name,
        tvlUsd: 25_000_000.123456,
        apy: { now: 5.000000000000001, week: 0.1 + 0.2, month: 1e-7 },
      },
    });
  const reject = (index: number) => ({ chainId, address: addressOf(index), name: 'Other', reason: 'asset' });

  it('default: returns saved reports, to the last digit and in the same order of fields', async () => {
    const saved = report(ids[0]!);
    const version = await store.save(chainId, t, [saved], []);
    expect(await store.progress(chainId)).toEqual({ version, newestSnapshot: t });
    const rows = await store.summaries(chainId);
    expect(rows).toEqual([{ vault: ids[0], summary: saved.summary, assetPriceUsd: saved.assetPriceUsd }]);
    expect(JSON.stringify(rows[0]!.summary)).toBe(JSON.stringify(saved.summary));
    const found = await store.report(String(chainId * 1_000_000));
    expect(JSON.stringify(found)).toBe(JSON.stringify(saved.report));
  });

  it('behavior: nothing is known of another chain or vault', async () => {
    expect(await store.progress(chainId)).toBeUndefined();
    expect(await store.summaries(chainId)).toEqual([]);
    expect(await store.report('1')).toBeUndefined();
    expect(await store.rejected(chainId)).toEqual([]);
  });

  it('behavior: a save replaces all reports of the chain, and the version grows', async () => {
    const first = await store.save(chainId, t, [report(ids[0]!), report(ids[1]!)], []);
    const second = await store.save(chainId, t + 60, [report(ids[1]!, 'renamed'), report(ids[2]!)], []);
    expect(second - first).toBe(1n);
    const rows = await store.summaries(chainId);
    expect(rows.map(({ vault, summary }) => [vault, summary.name])).toEqual([
      [ids[1], 'renamed'],
      [ids[2], 'Steady USDC'],
    ]);
    expect(await store.progress(chainId)).toEqual({ version: second, newestSnapshot: t + 60 });
  });

  it('behavior: concurrent saves get a version each, and one of them stays', async () => {
    const versions = await Promise.all(ids.map((id) => store.save(chainId, t, [report(id)], [])));
    expect([...versions].sort()).toEqual([1n, 2n, 3n]);
    expect(await store.summaries(chainId)).toHaveLength(1);
  });

  it('behavior: all or nothing', async () => {
    await expect(
      store.save(chainId, t, [report(ids[0]!), report(2 ** 31 - 1)], [reject(5)]),
    ).rejects.toMatchObject({ code: '23503' });
    expect(await store.progress(chainId)).toBeUndefined();
    expect(await store.summaries(chainId)).toEqual([]);
    expect(await store.rejected(chainId)).toEqual([]);
  });

  it('behavior: rejected entries are replaced', async () => {
    await store.save(chainId, t, [report(ids[0]!)], [reject(7), reject(8)]);
    await store.save(chainId, t, [report(ids[0]!)], [reject(1)]);
    expect(await store.rejected(chainId)).toEqual([reject(1)]);
  });

  it('behavior: ten thousand reports at once, and the process serves others meanwhile', async () => {
    const many = await register(10_000);
    const reports = many.map((id) => report(id));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await store.save(chainId, t, reports, []);
    expect(turns).toBeGreaterThan(50);
    turns = 0;
    const changed = await store.summaries(chainId);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(new Set(changed.map(({ vault }) => vault))).toEqual(new Set(many));
    expect(await store.report(String(chainId * 1_000_000 + 9_999))).toEqual(reports[9_999]!.report);
  });
});
