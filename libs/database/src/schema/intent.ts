import type { DefaultedTimestamp, Int8, Jsonb, Numeric, Timestamp } from './columns.js';

/** Life of a signed intent, in order; the last four are final. */
export type IntentState =
  'reserved' | 'simulated' | 'submitted' | 'included' | 'confirmed' | 'failed' | 'expired' | 'cancelled';

/** The intent ledger. Its primary key is the one gate against submitting an intent twice. */
export interface IntentTable {
  /** Merkle root, `0x` and 64 lower-case hex digits. */
  intent_id: string;
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  state: IntentState;
  user_op_hash: string;
  /** Nonce of the user operation. */
  nonce: Numeric;
  /** Unix seconds. */
  expiry: Int8;
  /** The signed operation as it travels, so that a killed process's work can be taken up. */
  user_operation: Jsonb<unknown>;
  /** Newest block when the bundler first got it: the operation is in none before. */
  submitted_block: Int8 | null;
  /** What it does at its vaults, from when it is submitted. */
  moves: Jsonb<unknown> | null;
  tx_hash: string | null;
  failure: Jsonb<unknown> | null;
  response: Jsonb<unknown> | null;
  /** Who works on it. */
  lease_owner: string | null;
  /** Until when that one has it for itself. */
  lease_until: Timestamp | null;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}
