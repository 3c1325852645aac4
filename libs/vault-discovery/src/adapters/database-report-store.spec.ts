import type { DatabaseHandle } from '@yield-vault/database';
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
  const drop = (index: number) => ({ chainId, address: addressOf(index), name: 'Other', reason: 'asset' });

  it('default: gives back what was saved, to the last digit and in the same order of fields', async () => {
    const saved = report(ids[0]!);
    const version = await store.save(chainId, t, [saved], []);
    expect(await store.progress(chainId)).toEqual({ version, newestSnapshot: t, replacedAt: 0n });
    const rows = await store.changedSince(chainId, 0n);
    expect(rows).toEqual([{ vault: ids[0], summary: saved.summary, assetPriceUsd: saved.assetPriceUsd }]);
    expect(JSON.stringify(rows[0]!.summary)).toBe(JSON.stringify(saved.summary));
    const found = await store.report(String(chainId * 1_000_000));
    expect(JSON.stringify(found)).toBe(JSON.stringify(saved.report));
  });

  it('behavior: nothing is known of another chain or vault', async () => {
    expect(await store.progress(chainId)).toBeUndefined();
    expect(await store.changedSince(chainId, 0n)).toEqual([]);
    expect(await store.report('1')).toBeUndefined();
    expect(await store.dropped(chainId)).toEqual([]);
  });

  it('behavior: the version grows with every save, and only what was saved after it is told', async () => {
    const first = await store.save(chainId, t, [report(ids[0]!), report(ids[1]!)], []);
    const second = await store.save(chainId, t + 60, [report(ids[1]!, 'renamed'), report(ids[2]!)], []);
    const third = await store.save(chainId, t + 120, [], []);
    expect([second - first, third - second]).toEqual([1n, 1n]);
    const changed = await store.changedSince(chainId, first);
    expect(changed.map(({ vault, summary }) => [vault, summary.name])).toEqual([
      [ids[1], 'renamed'],
      [ids[2], 'Steady USDC'],
    ]);
    expect(await store.changedSince(chainId, second)).toEqual([]);
    expect((await store.progress(chainId))?.newestSnapshot).toBe(t + 120);
  });

  it('behavior: savers at the same time get a version each', async () => {
    const versions = await Promise.all(ids.map((id) => store.save(chainId, t, [report(id)], [])));
    expect([...versions].sort()).toEqual([1n, 2n, 3n]);
    expect(await store.changedSince(chainId, 0n)).toHaveLength(3);
  });

  it('behavior: all or nothing', async () => {
    await expect(
      store.save(chainId, t, [report(ids[0]!), report(2 ** 31 - 1)], [drop(5)]),
    ).rejects.toMatchObject({ code: '23503' });
    expect(await store.progress(chainId)).toBeUndefined();
    expect(await store.changedSince(chainId, 0n)).toEqual([]);
    expect(await store.dropped(chainId)).toEqual([]);
  });

  it('behavior: what is dropped is replaced, and keeps its report', async () => {
    await store.save(chainId, t, [report(ids[0]!), report(ids[1]!)], [drop(7), drop(8)]);
    await store.save(chainId, t, [], [drop(1)]);
    expect(await store.dropped(chainId)).toEqual([drop(1)]);
    expect((await store.changedSince(chainId, 0n)).map(({ vault }) => vault)).toEqual([ids[0], ids[1]]);
    expect((await store.progress(chainId))?.replacedAt).toBe(0n);
  });

  it('behavior: retains the vaults of the catalogue, and tells when others were taken away', async () => {
    await store.retain(chainId, ids);
    const version = await store.save(
      chainId,
      t,
      ids.map((id) => report(id)),
      [],
    );
    await store.retain(chainId, ids);
    expect(await store.progress(chainId)).toMatchObject({ version, replacedAt: 0n });
    await store.retain(chainId, ids.slice(0, 2));
    expect(await store.changedSince(chainId, 0n)).toHaveLength(2);
    expect(await store.progress(chainId)).toMatchObject({
      version: version + 1n,
      replacedAt: version + 1n,
    });
  });

  it('behavior: ten thousand reports at once, and the process serves others meanwhile', async () => {
    const many = await register(10_000);
    const reports = many.map((id) => report(id));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const version = await store.save(chainId, t, reports, []);
    expect(turns).toBeGreaterThan(50);
    turns = 0;
    const changed = await store.changedSince(chainId, version - 1n);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(new Set(changed.map(({ vault }) => vault))).toEqual(new Set(many));
    expect(await store.report(String(chainId * 1_000_000 + 9_999))).toEqual(reports[9_999]!.report);
  });
});
