export type { DatabaseHandle, DatabaseSession, PoolState } from './handle.js';
export type {
  IntentTable,
  PaymentState,
  PaymentTable,
  SetupSubmissionState,
  SetupSubmissionTable,
} from './ledgers.js';
export type { GasPaymentTable, PositionMovementTable, PositionScanTable } from './positions.js';
export type { Schema } from './schema.js';
