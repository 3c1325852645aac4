import { databaseBackends } from '../testing/index.js';
import type { DatabaseHandle } from '../types.js';
import {
  createSnapshotPartitions,
  listSnapshotPartitions,
  snapshotPartitionOf,
} from './snapshot-partitions.js';

const at = (time: string): number => Date.parse(time) / 1_000;

describe('snapshotPartitionOf', () => {
  it('default: the calendar month, in UTC', () => {
    expect(snapshotPartitionOf(at('2026-12-31T23:59:59Z'))).toEqual({
      name: 'vault_snapshot_2026_12',
      from: at('2026-12-01T00:00:00Z'),
      until: at('2027-01-01T00:00:00Z'),
    });
    expect(snapshotPartitionOf(at('2027-01-01T00:00:00Z')).name).toBe('vault_snapshot_2027_01');
  });
});

describe.each(databaseBackends())('createSnapshotPartitions ($name)', ({ open }) => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  it('default: months far back and to come, several processes at once', async () => {
    const months = ['2027-02-01T00:00:00Z', '2019-01-31T23:00:00Z', '2026-11-21T00:00:00Z'].map((time) =>
      snapshotPartitionOf(at(time)),
    );
    await Promise.all(Array.from({ length: 6 }, () => createSnapshotPartitions(database.db, months)));
    expect(await listSnapshotPartitions(database.db)).toEqual([months[1], months[2], months[0]]);
  });
});
