import type { ColumnType, Generated } from 'kysely';
import type { DefaultedTimestamp, GeneratedInt8, Int8, Numeric, Timestamp } from './columns.js';

/** The newest block whose events are stored. One row for each chain. */
export interface FollowedChainTable {
  chain_id: Int8;
  /** The events of this block and all later ones are stored. */
  first_block: Int8;
  block: Int8;
  block_hash: string;
  /** Unix seconds. */
  block_time: Int8;
  /** When the follower last saw the node; it is silent when that is long ago. */
  seen_at: DefaultedTimestamp;
  /** What keeps our paymaster from serving: a pause or a low deposit, as the worker last read it. */
  paymaster_fault: Generated<'paymaster' | 'deposit' | null>;
}

/** The last blocks that were read, one by one near the newest, in ranges before. */
export interface FollowedBlockTable {
  /** Grows with each row, also when a block is read again after a reorganisation. */
  id: GeneratedInt8;
  chain_id: Int8;
  /** First block of a range; the block itself otherwise. */
  from_block: Int8;
  block: Int8;
  block_hash: string;
}

/** The contracts whose events are stored: entry point and share tokens. Once followed, always followed. */
export interface FollowedContractTable {
  chain_id: Int8;
  /** Lower case. */
  address: string;
  /** The events of this block and all later ones are stored. */
  first_block: Int8;
}

/** Operations of our validator, and those that the paymaster of the chain paid for. */
export interface UserOperationTable {
  chain_id: Int8;
  user_op_hash: string;
  /** Its sender, lower case. */
  wallet: string;
  nonce: Numeric;
  block: Int8;
  log_index: number;
  tx_hash: string;
  /** What the wallet paid for its gas, in base units of USDC; null when not in USDC. */
  gas_usdc: Numeric | null;
}

/** How shares moved into or out of a wallet. */
export type ShareMovementKind = 'deposit' | 'withdraw' | 'transfer-in' | 'transfer-out';

/** Share movements of every wallet in the followed vaults. */
export interface ShareMovementTable {
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  block: Int8;
  log_index: number;
  /** Lower case. */
  vault: string;
  kind: ShareMovementKind;
  /** Base units of the share. */
  shares: Numeric;
  /** Base units of the asset; null for a transfer until it has a price. */
  assets: Numeric | null;
}

/** How far the blocks before the follower have been read for a wallet that held shares then. */
export interface WalletPastTable {
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  /** The vaults whose events are being read, lower case. */
  vaults: ColumnType<string[], readonly string[], readonly string[]>;
  /** The vaults whose events are read to the end, lower case. */
  done_vaults: ColumnType<string[], readonly string[] | undefined, readonly string[]>;
  /** The events of all earlier blocks are stored. */
  next_block: Int8;
  last_block: Int8;
  /** First block in which the wallet received shares; null until one is found. */
  first_receipt: Int8 | null;
  /** Who asked for it first, for its quota. */
  client: string | null;
  /** Who reads the next blocks. */
  lease_owner: string | null;
  /** End of its exclusive right to read. */
  lease_until: Timestamp | null;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}
