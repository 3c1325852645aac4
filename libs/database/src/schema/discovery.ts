import type { Generated } from 'kysely';
import type { DefaultedTimestamp, Int8, Numeric, Timestamp } from './columns.js';

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

/** One measurement of a vault per UTC hour: the last block seen in that hour. */
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
  /** How the row was made; see the sampler. */
  source: number;
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
