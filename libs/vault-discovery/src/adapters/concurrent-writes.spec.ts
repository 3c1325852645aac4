import { databaseBackends } from '@yield-vault/database/testing';
import type { DatabaseHandle } from '@yield-vault/database';
import { buildHourlySnapshots } from '../../test/build-snapshots.js';
import { readSamples } from '../../test/read-samples.js';
import type { SnapshotStore } from '../ports.js';
import { createDatabaseReportStore } from './database-report-store.js';
import { createDatabaseSnapshotStore } from './database-snapshot-store.js';

jest.setTimeout(60_000);

const october = Date.parse('2026-10-01T00:00:00Z') / 1_000;

// PostgreSQL where it is reachable: PGlite has one connection, so nothing runs at once.
const { name, open } = databaseBackends().at(-1)!;

describe(`concurrent writes (${name})`, () => {
  let database: DatabaseHandle;
  let store: SnapshotStore;
  let vault: number;

  beforeAll(async () => {
    database = await open();
    store = createDatabaseSnapshotStore(database);
    vault = (await store.register([{ vaultId: '1', chainId: 1, address: `0x${'1'.repeat(40)}` }])).get('1')!;
  });
  afterAll(() => database.close());

  it('behavior: samplers that write the same hours in opposite orders do not lock each other out', async () => {
    const series = buildHourlySnapshots({ end: october, hours: 599 }, { vault });
    const reversed = [...series].reverse();
    const both = Array.from({ length: 6 }, (_, index) => store.save(index % 2 ? series : reversed, []));
    expect(await Promise.all(both)).toHaveLength(6);
    expect(await readSamples(store, [vault])).toHaveLength(600);
  });

  it('behavior: several processes compact and write at the same time, nothing is lost', async () => {
    const before = await readSamples(store, [vault]);
    const days = new Set(before.filter(({ t }) => t < october).map(({ t }) => Math.floor(t / 86_400)));
    const late = buildHourlySnapshots({ end: october - 60 * 86_400, hours: 23 }, { vault });
    await Promise.all([
      store.compact(october),
      createDatabaseSnapshotStore(database).compact(october),
      store.save(late, []),
    ]);
    await store.compact(october);
    const found = await readSamples(store, [vault]);
    // The last hour of each day, and the hour of October.
    expect(found).toHaveLength(days.size + 2 + 1);
  });

  it('behavior: concurrent saves of reports get a version each', async () => {
    const reports = createDatabaseReportStore(database);
    const versions = await Promise.all([1, 2, 3].map(() => reports.save(1, october, [], [])));
    expect([...versions].sort()).toEqual([1n, 2n, 3n]);
  });
});
