import type { Generated } from 'kysely';
import type { VaultReport, VaultSummary } from '@yield-vault/protocol';
import type { DefaultedTimestamp, Int8, Jsonb, Numeric, Timestamp } from './columns.js';

/** Vaults that were ever sampled. Never deleted: the history of a dead vault stays. */
export interface VaultTable {
  /** Internal surrogate, so that a snapshot row stays small. */
  id: Generated<number>;
  /** Public id: an unsigned 64-bit integer in decimal digits. */
  vault_id: Numeric;
  chain_id: Int8;
  /** Lower case. */
  address: string;
  created_at: DefaultedTimestamp;
}

/** One measurement of a vault per UTC hour: the last block seen in that hour. In one partition for each month. */
export interface VaultSnapshotTable {
  /** `vault.id`. */
  vault_id: number;
  /** Start of the UTC hour. */
  hour: Timestamp;
  /** Time of the block that was read. */
  t: Timestamp;
  block: Int8;
  /** Assets, in base units, for 10^(shareDecimals + 6) base units of the share. */
  share_price: Numeric;
  /** Base units of the asset. */
  total_assets: Numeric;
  /** Base units of the share. */
  total_supply: Numeric;
  /** USD for one whole unit of the asset. */
  price_usd: number;
  /** How the price was found; see the sampler. */
  source: number;
  /** 0: read from the chain. 1: from the chart of an external service. */
  origin: number;
}

/** The last measurement of a UTC day, kept for ever once the hours of its month are gone. Columns as above. */
export interface VaultSnapshotDailyTable extends Omit<VaultSnapshotTable, 'hour'> {
  /** Start of the UTC day. */
  day: Timestamp;
}

/** How far the samples of a vault reach: every hour in [covered_from, covered_until) was read. */
export interface SamplingCheckpointTable {
  /** `vault.id`. */
  vault_id: number;
  covered_from: Timestamp;
  covered_until: Timestamp;
}

/** A block that was sampled, to notice that a chain is not the chain it was. */
export interface SamplingAnchorTable {
  chain_id: Int8;
  block: Int8;
  block_hash: string;
}

/** The newest simulated deposit and redeem of a vault. */
export interface VaultCapabilityTable {
  /** `vault.id`. */
  vault_id: number;
  result: string;
  checked_at: Timestamp;
  block: Int8;
  failed_step: string | null;
  reason: string | null;
  /** Base units. */
  assets_in: Numeric;
  shares_out: Numeric;
  assets_out: Numeric;
  /** Gas; 0 where the step did not run. */
  deposit_gas: Generated<number>;
  redeem_gas: Generated<number>;
}

/** One measurement per vault and UTC hour of what holders can redeem. Amounts are base units of the asset. */
export interface VaultExitTable {
  /** `vault.id`. */
  vault_id: number;
  /** Start of the UTC hour. */
  hour: Timestamp;
  checked_at: Timestamp;
  method: string;
  /** Null when the method is unknown. */
  instant: Numeric | null;
  total_assets: Numeric;
  /** What leaving costs, in basis points; null when unknown. */
  exit_bps: number | null;
  accrues: boolean | null;
  /** Simulated redeems as pairs of amount and basis points received; null in older rows. */
  curve: Jsonb<readonly (readonly [string, number])[]> | null;
}

/** The newest reading of a vault's contracts. */
export interface VaultGovernanceTable {
  /** `vault.id`. */
  vault_id: number;
  checked_at: Timestamp;
  /** `ContractFacts` of vault-discovery, without the vault and the time. */
  facts: Jsonb<object>;
}

/** The newest computed numbers of a vault. */
export interface VaultReportTable {
  /** `vault.id`. */
  vault_id: number;
  chain_id: Int8;
  /** Of `chain_report`, when this row was written. */
  version: Int8;
  summary: Jsonb<VaultSummary>;
  asset_price_usd: number;
  /** Gas of a simulated deposit and redeem; 0 when unknown. */
  deposit_gas: Generated<number>;
  redeem_gas: Generated<number>;
  report: Jsonb<VaultReport>;
}

/** How far the computed numbers of a chain are. */
export interface ChainReportTable {
  chain_id: Int8;
  version: Int8;
  /** Null once the chain was discarded. */
  newest_snapshot: Timestamp | null;
}

/** Vaults of the catalogue whose entry the chain contradicts. */
export interface RejectedVaultTable {
  chain_id: Int8;
  /** EIP-55. */
  address: string;
  name: string;
  reason: string;
}
