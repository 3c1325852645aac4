export { asDatabaseError } from './as-database-error.js';
export { DatabaseLockedError, DatabaseMigrationError, UnsupportedPoolerError } from './errors.js';
export { createAdvisoryLock } from './leadership/create-advisory-lock.js';
export { startJobs, type JobOptions, type RunningJobs } from './jobs/start-jobs.js';
export { inspectDatabase, type DatabaseInspection } from './inspect-database.js';
export { openDatabase } from './open-database.js';
export {
  createPartitions,
  ensurePartitions,
  listPartitions,
  lockPartitions,
  writeSnapshots,
  type MonthPartition,
} from './partitions/month-partitions.js';
export type { DatabaseOptions } from './types.js';
export { databaseSchema } from './database-schema.js';
export type { DatabaseHandle, DatabaseSession, PoolState } from './handle.js';
export type { Job, JobOutcome } from './jobs/job.js';
export type {
  FollowedBlockTable,
  FollowedChainTable,
  FollowedContractTable,
  ShareMovementKind,
  ShareMovementTable,
  UserOperationTable,
  WalletPastTable,
} from './tables/chain-events.js';
export type {
  DepositLimitTable,
  IntentArchiveTable,
  IntentDuplicateTable,
  IntentTable,
  LedgerRestoreTable,
  PaymentState,
  PaymentTable,
  SetupSubmissionState,
  SetupSubmissionTable,
} from './tables/ledgers.js';
export type { Schema } from './tables/schema.js';
export {
  chainEventTables,
  followerSilentSeconds,
  storeChainEvents,
  type ChainEventRows,
} from './tables/store-chain-events.js';
