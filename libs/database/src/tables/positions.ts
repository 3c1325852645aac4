import type { ColumnType } from 'kysely';
import type { DefaultedTimestamp, Int8, Numeric, Timestamp } from './columns.js';

/** How far the past of a wallet has been read on a chain. */
export interface PositionScanTable {
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  /** Vaults whose events every stored range covers, lower case. */
  vaults: ColumnType<string[], readonly string[], readonly string[]>;
  /** The events of all earlier blocks are stored. */
  next_block: Int8;
  /** The newest final block that a request saw, and where the background reader stops. */
  target_block: Int8;
  target_hash: string;
  /** First block in which the wallet received shares; null until one is found. */
  first_block: Int8 | null;
  /** Who reads the next blocks. */
  lease_owner: string | null;
  /** End of its exclusive right to read. */
  lease_until: Timestamp | null;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}

/** How shares moved into or out of a wallet. */
export type PositionMovementKind = 'deposit' | 'withdraw' | 'transfer-in' | 'transfer-out';

/** Share movements of a wallet, in final blocks only. */
export interface PositionMovementTable {
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  block: Int8;
  log_index: number;
  /** Lower case. */
  vault: string;
  kind: PositionMovementKind;
  /** Base units of the share. */
  shares: Numeric;
  /** Base units of the asset; null for a transfer until it has a price. */
  assets: Numeric | null;
}

/** Payments of a wallet to the paymaster, in final blocks only. */
export interface GasPaymentTable {
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  block: Int8;
  log_index: number;
  /** Base units of USDC. */
  amount: Numeric;
}
