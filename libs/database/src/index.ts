export { asDatabaseError } from './as-database-error.js';
export { DatabaseLockedError, DatabaseMigrationError } from './errors.js';
export { createLeadership, type Leadership, type LeadershipOptions } from './leadership/create-leadership.js';
export { openDatabase } from './open-database.js';
export {
  createSnapshotPartitions,
  listSnapshotPartitions,
  lockSnapshotWrites,
  snapshotPartitionOf,
  type SnapshotPartition,
} from './partitions/snapshot-partitions.js';
export type { Bytea, DefaultedTimestamp, Int8, Jsonb, Numeric, Timestamp } from './schema/columns.js';
export type {
  BrokenReadTable,
  ChainReportTable,
  DroppedVaultTable,
  SamplingAnchorTable,
  SamplingCheckpointTable,
  VaultCapabilityTable,
  VaultReportTable,
  VaultSnapshotDailyTable,
  VaultSnapshotTable,
  VaultTable,
} from './schema/discovery.js';
export type { IntentState, IntentTable } from './schema/intent.js';
export type { PaymentState, PaymentTable } from './schema/payment.js';
export type { Schema } from './schema/schema.js';
export type { SetupSubmissionState, SetupSubmissionTable } from './schema/setup.js';
export type { DatabaseHandle, DatabaseOptions, DatabaseSession } from './types.js';
