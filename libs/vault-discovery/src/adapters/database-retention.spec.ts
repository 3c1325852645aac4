import { listPartitions, openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';
import { buildHourlySnapshots, buildSnapshot } from '../../test/build-snapshots.js';
import { daySeconds, hourSeconds, snapshotOrigins } from '@yield-vault/vault-metrics';
import { readSamples, toSamples } from '../../test/read-samples.js';
import type { Snapshot, SnapshotStore } from '../ports.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

const at = (time: string): number => Date.parse(time) / 1_000;
const october = at('2026-10-01T00:00:00Z');

describe('compactSnapshots', () => {
  let database: DatabaseHandle;
  let store: SnapshotStore;
  let vault: number;

  beforeAll(async () => {
    database = await openDatabase({ memory: true });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    for (const { name } of await listPartitions(database.db, 'vault_snapshot'))
      await sql`drop table ${sql.table(name)}`.execute(database.db);
    store = createDatabaseSnapshotStore(database);
    vault = (await store.register([{ vaultId: '1', chainId: 1, address: `0x${'1'.repeat(40)}` }])).get('1')!;
  });
  afterEach(() => store.discardChain(1));

  const perDay = 4;
  /** From 29 August to 5 November, the last at half past eleven in the evening. */
  const series = () =>
    buildHourlySnapshots({ end: at('2026-11-05T23:30:00Z'), hours: 69 * 24 - 1 }, { vault }).filter(
      (_, index) => index % (24 / perDay) === 24 / perDay - 1,
    );
  const lastOfDays = (snapshots: readonly Snapshot[]) =>
    snapshots.filter(({ t }) => t % daySeconds > 23 * hourSeconds);
  const partitions = async () =>
    (await listPartitions(database.db, 'vault_snapshot')).map(({ name }) => name);

  it('default: keeps the last snapshot of each day and drops the months that are wholly older', async () => {
    const hourly = series();
    await store.save(hourly, []);
    const older = hourly.filter(({ t }) => t < october);

    expect(await store.compact(october + 5 * daySeconds)).toBe(older.length);
    expect(await partitions()).toEqual(['vault_snapshot_2026_10', 'vault_snapshot_2026_11']);
    const kept = [...lastOfDays(older), ...hourly.filter(({ t }) => t >= october)];
    // Also from within a day on.
    for (const since of [0, at('2026-09-15T23:45:00Z')]) {
      const expected = kept.filter(({ t }) => t >= since);
      expect(await readSamples(store, [vault], since)).toEqual(toSamples(expected));
    }
  });

  it('behavior: once more does nothing, and a killed run is taken up', async () => {
    const hourly = series();
    await store.save(hourly, []);
    // As after a kill between two months: August is done, September is not.
    expect(await store.compact(at('2026-09-01T00:00:00Z'))).toBe(3 * perDay);
    expect(await store.compact(october)).toBe(30 * perDay);
    const kept = await readSamples(store, [vault], 0);
    expect(await store.compact(october)).toBe(0);
    expect(await readSamples(store, [vault], 0)).toEqual(kept);
    expect(kept).toHaveLength(3 + 30 + (31 + 5) * perDay);
  });

  it('behavior: a run that fails in the middle of a month leaves the month as it was', async () => {
    const hourly = series();
    await store.save(hourly, []);
    const constraint = sql`constraint broken check (day < '2026-09-20T00:00Z')`;
    await sql`alter table vault_snapshot_daily add ${constraint}`.execute(database.db);
    await expect(store.compact(october)).rejects.toMatchObject({ code: '23514' });
    const left = await readSamples(store, [vault], october - 30 * daySeconds);
    expect(left).toHaveLength((30 + 31 + 5) * perDay);
    await sql`alter table vault_snapshot_daily drop constraint broken`.execute(database.db);
    expect(await store.compact(october)).toBe(30 * perDay);
  });

  describe('rows that come late', () => {
    const on = (time: string, origin: Snapshot['origin'] = snapshotOrigins.chain) =>
      buildSnapshot({ vault, t: at(`2026-08-10T${time}:00Z`), origin });
    /** Save and compact. @returns the rows before and after the compaction */
    const add = async (snapshot: Snapshot) => {
      await store.save([snapshot], []);
      const before = await readSamples(store, [vault], 0);
      await store.compact(october);
      return [before, await readSamples(store, [vault], 0)];
    };

    it('behavior: join the days of their month', async () => {
      const [morning, noon, evening] = [on('08:00'), on('12:00'), on('20:00')];
      await add(noon);
      expect((await add(morning))[1]).toEqual(toSamples([noon]));
      expect(await add(evening)).toEqual([toSamples([noon, evening]), toSamples([evening])]);
    });

    it('behavior: within an hour a sample of the chain replaces a chart', async () => {
      const [chart, chain] = [on('20:50', snapshotOrigins.externalChart), on('20:10')];
      await add(chart);
      expect(await add(chain)).toEqual([toSamples([chain]), toSamples([chain])]);
      expect(await add(chart)).toEqual([toSamples([chain]), toSamples([chain])]);
    });
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
    for (const time of [t, t + hourSeconds]) {
      await store.save(
        all.map((id) => buildSnapshot({ vault: id, t: time })),
        [],
      );
    }
    expect(await store.compact(october)).toBe(4_200);
    const kept = await readSamples(store, all, 0);
    expect(kept).toHaveLength(2_100);
    expect(new Set(kept.map((snapshot) => snapshot.t))).toEqual(new Set([t + hourSeconds]));
  });
});
