export { asDatabaseError } from './as-database-error.js';
export { DatabaseLockedError, DatabaseMigrationError, UnsupportedPoolerError } from './errors.js';
export { createAdvisoryLock } from './leadership/create-advisory-lock.js';
export { createLeadership, type Leadership } from './leadership/create-leadership.js';
export { openDatabase } from './open-database.js';
export {
  ensureSnapshotPartitions,
  listSnapshotPartitions,
  lockSnapshotWrites,
  writeSnapshots,
  type SnapshotPartition,
} from './partitions/snapshot-partitions.js';
export type { DatabaseOptions } from './types.js';
export { databaseSchema } from './database-schema.js';
