import type {
  FollowedBlockTable,
  FollowedChainTable,
  FollowedContractTable,
  ShareMovementTable,
  UserOperationTable,
  WalletPastTable,
} from './chain-events.js';
import type {
  ChainReportTable,
  RejectedVaultTable,
  SamplingAnchorTable,
  SamplingCheckpointTable,
  VaultCapabilityTable,
  VaultExitTable,
  VaultReportTable,
  VaultSnapshotDailyTable,
  VaultSnapshotTable,
  VaultTable,
} from './discovery.js';
import type {
  DepositLimitTable,
  IntentArchiveTable,
  IntentDuplicateTable,
  IntentTable,
  LedgerRestoreTable,
  PaymentTable,
  SetupSubmissionTable,
} from './ledgers.js';

/** Every table by name. */
export interface Schema {
  vault: VaultTable;
  vault_snapshot: VaultSnapshotTable;
  vault_snapshot_daily: VaultSnapshotDailyTable;
  sampling_checkpoint: SamplingCheckpointTable;
  sampling_anchor: SamplingAnchorTable;
  vault_capability: VaultCapabilityTable;
  vault_exit: VaultExitTable;
  vault_report: VaultReportTable;
  chain_report: ChainReportTable;
  rejected_vault: RejectedVaultTable;
  intent: IntentTable;
  intent_archive: IntentArchiveTable;
  intent_duplicate: IntentDuplicateTable;
  ledger_restore: LedgerRestoreTable;
  deposit_limit: DepositLimitTable;
  setup_submission: SetupSubmissionTable;
  payment: PaymentTable;
  followed_chain: FollowedChainTable;
  followed_block: FollowedBlockTable;
  followed_contract: FollowedContractTable;
  user_operation: UserOperationTable;
  share_movement: ShareMovementTable;
  wallet_past: WalletPastTable;
}
