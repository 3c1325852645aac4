import { listSnapshotPartitions } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { databaseBackends } from '@yield-vault/database/testing';
import { sql } from 'kysely';
import { buildHourlySnapshots, buildSnapshot } from '../../test/build-snapshots.js';
import { daySeconds, hourSeconds } from '../metrics/statistics.js';
import { type Snapshot, snapshotOrigins, type SnapshotStore } from '../ports.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(60_000);

const at = (time: string): number => Date.parse(time) / 1_000;
const october = at('2026-10-01T00:00:00Z');
const november = at('2026-11-01T00:00:00Z');

describe.each(databaseBackends())('compactSnapshots ($name)', ({ open }) => {
  let database: DatabaseHandle;
  let store: SnapshotStore;
  let vault: number;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    for (const { name } of await listSnapshotPartitions(database.db))
      await sql`drop table ${sql.table(name)}`.execute(database.db);
    store = createDatabaseSnapshotStore(database);
    vault = (await store.register([{ vaultId: '1', chainId: 1, address: `0x${'1'.repeat(40)}` }])).get('1')!;
  });
  afterEach(() => store.discardChain(1));

  /** From 29 August to 5 November, every hour. */
  const series = () =>
    buildHourlySnapshots({ end: at('2026-11-05T23:30:00Z'), hours: 69 * 24 - 1 }, { vault });
  const lastOfDays = (snapshots: readonly Snapshot[]) =>
    snapshots.filter(({ t }) => t % daySeconds > 23 * hourSeconds);
  const partitions = async () => (await listSnapshotPartitions(database.db)).map(({ name }) => name);

  it('default: keeps the last snapshot of each day and drops the months that are wholly older', async () => {
    const hourly = series();
    await store.save(hourly, []);
    const older = hourly.filter(({ t }) => t < october);

    expect(await store.compact(october + 5 * daySeconds)).toBe(older.length);
    expect(await partitions()).toEqual(['vault_snapshot_2026_10', 'vault_snapshot_2026_11']);
    const kept = [...lastOfDays(older), ...hourly.filter(({ t }) => t >= october)];
    expect(await store.read([vault], 0)).toEqual(kept);
    for await (const { columns } of store.readSeries([vault], 0, () => 6))
      expect([...columns.t]).toEqual(kept.map(({ t }) => t));
  });

  it('behavior: reads begin at the requested time, in days as in hours', async () => {
    const hourly = series();
    await store.save(hourly, []);
    await store.compact(november);
    const since = at('2026-09-15T23:45:00Z');
    const found = await store.read([vault], since);
    expect(found[0]?.t).toBe(at('2026-09-16T23:30:00Z'));
    expect(found).toEqual(
      [
        ...lastOfDays(hourly.filter(({ t }) => t < november)),
        ...hourly.filter(({ t }) => t >= november),
      ].filter(({ t }) => t >= since),
    );
  });

  it('behavior: once more does nothing, and a killed run is taken up', async () => {
    const hourly = series();
    await store.save(hourly, []);
    // As after a kill between two months: August is done, September is not.
    expect(await store.compact(at('2026-09-01T00:00:00Z'))).toBe(72);
    expect(await store.compact(october)).toBe(30 * 24);
    const kept = await store.read([vault], 0);
    expect(await store.compact(october)).toBe(0);
    expect(await store.read([vault], 0)).toEqual(kept);
    expect(kept).toHaveLength(3 + 30 + 31 * 24 + 5 * 24);
  });

  it('behavior: a run that fails in the middle of a month leaves the month as it was', async () => {
    const hourly = series();
    await store.save(hourly, []);
    await sql`alter table vault_snapshot_daily add constraint broken check (day < '2026-09-20T00:00Z')`.execute(
      database.db,
    );
    await expect(store.compact(october)).rejects.toMatchObject({ code: '23514' });
    expect(await store.read([vault], october - 30 * daySeconds)).toHaveLength(30 * 24 + 31 * 24 + 5 * 24);
    await sql`alter table vault_snapshot_daily drop constraint broken`.execute(database.db);
    expect(await store.compact(october)).toBe(30 * 24);
  });

  it('behavior: several processes compact and write at the same time, nothing is lost', async () => {
    const hourly = series();
    await store.save(hourly, []);
    const late = buildSnapshot({ vault, t: at('2026-08-01T12:00:00Z') });
    const removed = await Promise.all([
      store.compact(october),
      createDatabaseSnapshotStore(database).compact(october),
      store.save([late], []).then(() => 0),
      store.save(hourly.slice(0, 24), []).then(() => 0),
    ]);
    await store.compact(october);
    expect(removed[0]! + removed[1]!).toBeGreaterThanOrEqual(33 * 24);
    expect(await store.read([vault], 0)).toEqual([
      late,
      ...lastOfDays(hourly.filter(({ t }) => t < october)),
      ...hourly.filter(({ t }) => t >= october),
    ]);
  });

  it('behavior: rows that come late join the days of their month', async () => {
    const noon = buildSnapshot({ vault, t: at('2026-08-10T12:00:00Z') });
    const evening = buildSnapshot({ vault, t: at('2026-08-10T20:00:00Z') });
    const morning = buildSnapshot({ vault, t: at('2026-08-10T08:00:00Z') });
    await store.save([noon], []);
    await store.compact(october);
    await store.save([morning], []);
    await store.compact(october);
    expect(await store.read([vault], 0)).toEqual([noon]);
    await store.save([evening], []);
    expect(await store.read([vault], 0)).toEqual([noon, evening]);
    await store.compact(october);
    expect(await store.read([vault], 0)).toEqual([evening]);
  });

  it('behavior: within an hour a sample of the chain replaces a chart', async () => {
    const chart = buildSnapshot({
      vault,
      t: at('2026-08-10T20:50:00Z'),
      origin: snapshotOrigins.externalChart,
    });
    const chain = buildSnapshot({ vault, t: at('2026-08-10T20:10:00Z') });
    await store.save([chart], []);
    await store.compact(october);
    await store.save([chain], []);
    expect(await store.read([vault], 0)).toEqual([chain]);
    await store.compact(october);
    await store.save([chart], []);
    expect(await store.read([vault], 0)).toEqual([chain]);
    await store.compact(october);
    expect(await store.read([vault], 0)).toEqual([chain]);
  });

  it('behavior: more vaults than one statement takes', async () => {
    const ids = await store.register(
      Array.from({ length: 2_100 }, (_, index) => ({
        vaultId: String(10 + index),
        chainId: 1,
        address: `0x${(10 + index).toString().padStart(40, '0')}` as const,
      })),
    );
    const all = [...ids.values()];
    const t = at('2026-08-10T20:10:00Z');
    await store.save(
      all.flatMap((id) => [
        buildSnapshot({ vault: id, t }),
        buildSnapshot({ vault: id, t: t + hourSeconds }),
      ]),
      [],
    );
    expect(await store.compact(october)).toBe(4_200);
    const kept = await store.read(all, 0);
    expect(kept).toHaveLength(2_100);
    expect(new Set(kept.map((snapshot) => snapshot.t))).toEqual(new Set([t + hourSeconds]));
  });
});
