import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { getAddress } from 'viem';
import { buildStoredReport } from '../../test/build-stored-report.js';
import type { ReportStore } from '../ports.js';
import { createDatabaseReportStore } from './database-report-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(120_000);

const t = 1_790_000_000;
const addressOf = (index: number) => getAddress(`0x${(index + 0xaa).toString(16).padStart(40, '0')}`);

describe('createDatabaseReportStore', () => {
  let database: DatabaseHandle;
  let store: ReportStore;
  let ids: readonly number[];
  let chainId = 100;

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
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
    const { report: _report, ...row } = saved;
    expect(rows).toEqual([{ ...row, vault: ids[0] }]);
    expect(JSON.stringify(rows[0]!.summary)).toBe(JSON.stringify(saved.summary));
    const found = await store.report(String(chainId * 1_000_000));
    expect(JSON.stringify(found)).toBe(JSON.stringify(saved.report));
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

  it('behavior: all or nothing', async () => {
    const foreign = report(2 ** 31 - 1);
    const saving = store.save(chainId, t, [report(ids[0]!), foreign], [reject(5)]);
    await expect(saving).rejects.toMatchObject({ code: '23503' });
    expect([await store.progress(chainId), await store.report('1')]).toEqual([undefined, undefined]);
    expect([await store.summaries(chainId), await store.rejected(chainId)]).toEqual([[], []]);
  });

  it('behavior: rejected entries are replaced', async () => {
    await store.save(chainId, t, [report(ids[0]!)], [reject(7), reject(8)]);
    await store.save(chainId, t, [report(ids[0]!)], [reject(1)]);
    expect(await store.rejected(chainId)).toEqual([reject(1)]);
  });

  it('behavior: thousands of reports at once, and the process serves others meanwhile', async () => {
    const many = await register(1_500);
    const reports = many.map((id) => report(id));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await store.save(chainId, t, reports, []);
    expect(turns).toBeGreaterThan(10);
    turns = 0;
    const changed = await store.summaries(chainId);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
    expect(new Set(changed.map(({ vault }) => vault))).toEqual(new Set(many));
    expect(await store.report(String(chainId * 1_000_000 + 1_499))).toEqual(reports.at(-1)!.report);
  });
});
