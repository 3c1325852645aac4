export { asDatabaseError } from './as-database-error.js';
export { DatabaseLockedError, DatabaseMigrationError, UnsupportedPoolerError } from './errors.js';
export { createAdvisoryLock, type AdvisoryLock } from './leadership/create-advisory-lock.js';
export { createLeadership, type Leadership, type LeadershipOptions } from './leadership/create-leadership.js';
export { openDatabase } from './open-database.js';
export {
  ensureSnapshotPartitions,
  listSnapshotPartitions,
  lockSnapshotWrites,
  writeSnapshots,
  type SnapshotPartition,
} from './partitions/snapshot-partitions.js';
export type { Bytea, DefaultedTimestamp, Int8, Jsonb, Numeric, Timestamp } from './schema/columns.js';
export type {
  ChainReportTable,
  RejectedVaultTable,
  SamplingAnchorTable,
  SamplingCheckpointTable,
  VaultCapabilityTable,
  VaultReportTable,
  VaultSnapshotDailyTable,
  VaultSnapshotTable,
  VaultTable,
} from './schema/discovery.js';
export type {
  IntentTable,
  PaymentState,
  PaymentTable,
  SetupSubmissionState,
  SetupSubmissionTable,
} from './schema/ledgers.js';
export type { PositionMovementKind, PositionMovementTable, PositionScanTable } from './schema/positions.js';
export type { Schema } from './schema/schema.js';
export type { DatabaseHandle, DatabaseOptions, DatabaseSession, PoolState } from './types.js';
export { databaseSchema } from './database-schema.js';
