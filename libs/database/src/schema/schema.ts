import type {
  SamplingAnchorTable,
  SamplingCheckpointTable,
  VaultSnapshotTable,
  VaultTable,
} from './discovery.js';
import type { IntentTable } from './intent.js';
import type { SetupSubmissionTable } from './setup.js';

/** Every table by name. */
export interface Schema {
  vault: VaultTable;
  vault_snapshot: VaultSnapshotTable;
  sampling_checkpoint: SamplingCheckpointTable;
  sampling_anchor: SamplingAnchorTable;
  intent: IntentTable;
  setup_submission: SetupSubmissionTable;
}
