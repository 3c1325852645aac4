export { asDatabaseError } from './as-database-error.js';
export { DatabaseLockedError, DatabaseMigrationError } from './errors.js';
export { openDatabase } from './open-database.js';
export type { DefaultedTimestamp, Int8, Jsonb, Numeric, Timestamp } from './schema/columns.js';
export type {
  SamplingAnchorTable,
  SamplingCheckpointTable,
  VaultSnapshotTable,
  VaultTable,
} from './schema/discovery.js';
export type { IntentState, IntentTable } from './schema/intent.js';
export type { Schema } from './schema/schema.js';
export type { SetupSubmissionState, SetupSubmissionTable } from './schema/setup.js';
export type { DatabaseHandle, DatabaseOptions } from './types.js';
