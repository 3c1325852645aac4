import { databaseBackends } from '../testing/index.js';
import type { DatabaseHandle } from '../handle.js';
import { ensurePartitions, listPartitions } from './month-partitions.js';

const at = (time: string): number => Date.parse(time) / 1_000;

describe.each(databaseBackends())('ensurePartitions ($name)', ({ open }) => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  it('default: months in UTC, far back and to come, several processes at once', async () => {
    const times = ['2027-02-01T00:00:00Z', '2019-01-31T23:00:00Z', '2026-12-31T23:59:59Z'].map(at);
    await Promise.all(
      Array.from({ length: 6 }, () => ensurePartitions(database.db, 'vault_snapshot', times)),
    );
    expect(await listPartitions(database.db, 'vault_snapshot')).toEqual([
      { name: 'vault_snapshot_2019_01', from: at('2019-01-01T00:00:00Z'), until: at('2019-02-01T00:00:00Z') },
      { name: 'vault_snapshot_2026_12', from: at('2026-12-01T00:00:00Z'), until: at('2027-01-01T00:00:00Z') },
      { name: 'vault_snapshot_2027_02', from: at('2027-02-01T00:00:00Z'), until: at('2027-03-01T00:00:00Z') },
    ]);
  });
});
