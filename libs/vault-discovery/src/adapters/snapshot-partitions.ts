import {
  createSnapshotPartitions,
  snapshotPartitionOf,
  type DatabaseHandle,
  type SnapshotPartition,
} from '@yield-vault/database';
import type { Snapshot } from '../ports.js';

/** Sees to it that the months of snapshots have a partition. */
export interface SnapshotPartitions {
  /** Run a write of these snapshots with the partitions it needs. */
  provide(snapshots: readonly Snapshot[], write: () => Promise<void>): Promise<void>;
}

/** Make partitions when they are needed, and remember which are there. */
export function createSnapshotPartitionsOf({ db }: Pick<DatabaseHandle, 'db'>): SnapshotPartitions {
  const known = new Set<string>();

  const ensure = async (snapshots: readonly Snapshot[]) => {
    const missing = partitionsOf(snapshots).filter(({ name }) => !known.has(name));
    if (missing.length === 0) return;
    await createSnapshotPartitions(db, missing);
    for (const { name } of missing) known.add(name);
  };

  return {
    provide: async (snapshots, write) => {
      await ensure(snapshots);
      try {
        await write();
      } catch (error) {
        if (!isMissingPartition(error)) throw error;
        // Retention dropped a month that this process had seen.
        known.clear();
        await ensure(snapshots);
        await write();
      }
    },
  };
}

function partitionsOf(snapshots: readonly Snapshot[]): readonly SnapshotPartition[] {
  const found = new Map<string, SnapshotPartition>();
  let last: SnapshotPartition | undefined;
  for (const { t } of snapshots) {
    if (last && last.from <= t && t < last.until) continue;
    last = snapshotPartitionOf(t);
    found.set(last.name, last);
  }
  return [...found.values()];
}

/** A row without a partition breaks a check that has no name. */
function isMissingPartition(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23514' && constraint === undefined;
}
