import type {
  ChainReportTable,
  RejectedVaultTable,
  SamplingAnchorTable,
  SamplingCheckpointTable,
  VaultCapabilityTable,
  VaultReportTable,
  VaultSnapshotDailyTable,
  VaultSnapshotTable,
  VaultTable,
} from './discovery.js';
import type {
  IntentDuplicateTable,
  IntentTable,
  LedgerRestoreTable,
  PaymentTable,
  SetupSubmissionTable,
} from './ledgers.js';
import type { GasPaymentTable, PositionMovementTable, PositionScanTable } from './positions.js';

/** Every table by name. */
export interface Schema {
  vault: VaultTable;
  vault_snapshot: VaultSnapshotTable;
  vault_snapshot_daily: VaultSnapshotDailyTable;
  sampling_checkpoint: SamplingCheckpointTable;
  sampling_anchor: SamplingAnchorTable;
  vault_capability: VaultCapabilityTable;
  vault_report: VaultReportTable;
  chain_report: ChainReportTable;
  rejected_vault: RejectedVaultTable;
  intent: IntentTable;
  intent_duplicate: IntentDuplicateTable;
  ledger_restore: LedgerRestoreTable;
  setup_submission: SetupSubmissionTable;
  payment: PaymentTable;
  position_scan: PositionScanTable;
  position_movement: PositionMovementTable;
  gas_payment: GasPaymentTable;
}
