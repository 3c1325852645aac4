import type {
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
} from './discovery.js';
import type { IntentTable } from './intent.js';
import type { PaymentTable } from './payment.js';
import type { SetupSubmissionTable } from './setup.js';

/** Every table by name. */
export interface Schema {
  vault: VaultTable;
  vault_snapshot: VaultSnapshotTable;
  vault_snapshot_daily: VaultSnapshotDailyTable;
  sampling_checkpoint: SamplingCheckpointTable;
  sampling_anchor: SamplingAnchorTable;
  broken_read: BrokenReadTable;
  vault_capability: VaultCapabilityTable;
  vault_report: VaultReportTable;
  chain_report: ChainReportTable;
  dropped_vault: DroppedVaultTable;
  intent: IntentTable;
  setup_submission: SetupSubmissionTable;
  payment: PaymentTable;
}
