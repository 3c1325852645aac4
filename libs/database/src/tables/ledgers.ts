import type { ColumnType } from 'kysely';
import type { IntentState } from '@yield-vault/protocol';
import type { Bytea, DefaultedTimestamp, Int8, Jsonb, Numeric, Timestamp } from './columns.js';

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
  /** The signed operation in wire form, so that another process can continue after a kill. */
  user_operation: Jsonb<unknown>;
  /** Newest block when the bundler first received it. No earlier block holds the operation. */
  submitted_block: Int8 | null;
  /** Its deposits and redeems; set on submission. */
  moves: Jsonb<unknown> | null;
  tx_hash: string | null;
  failure: Jsonb<unknown> | null;
  response: Jsonb<unknown> | null;
  /** The process that works on it. */
  lease_owner: string | null;
  /** End of its exclusive right to the row. */
  lease_until: Timestamp | null;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}

/** Other intents of an executed operation. They have no life of their own: the intent that was submitted decides. */
export interface IntentDuplicateTable {
  intent_id: string;
  /** The intent that was submitted. */
  duplicate_of: string;
  /** Unix seconds. */
  expiry: Int8;
  created_at: DefaultedTimestamp;
}

/** Final intents and their duplicates, moved here a day after their expiry. In one partition for each month of `expiry`. */
export interface IntentArchiveTable extends Omit<
  IntentTable,
  'lease_owner' | 'lease_until' | 'created_at' | 'updated_at'
> {
  created_at: Timestamp;
  updated_at: Timestamp;
  /** The submitted intent of the same operation, whose state and result this row repeats; null for that one. */
  duplicate_of: string | null;
}

/** Times of restores and failovers that may have lost rows of the ledgers. Operators insert them. */
export interface LedgerRestoreTable {
  restored_at: DefaultedTimestamp;
}

/** What operators stop or limit. */
export interface DepositLimitTable {
  kind: 'pause' | 'cap';
  /** Of a pause: `deposits`, `chain:<key>` or `vault:<vaultId>`. Of a cap: `wallet`, `vault` or `total`. */
  scope: string;
  /** The cap; 0 for a pause. */
  limit_usd: number;
  reason: ColumnType<string, string | undefined, string>;
  created_at: DefaultedTimestamp;
}

/** Life of a relayed setup transaction: `submitted` is written before the node gets it. A reorganisation undoes `confirmed`. */
export type SetupSubmissionState = 'reserved' | 'submitted' | 'confirmed';

/** Relayed setup transactions, so that a repeated request returns the first response. */
export interface SetupSubmissionTable {
  /** `0x` and 64 lower-case hex digits. */
  tx_hash: string;
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  ticket_id: string;
  state: SetupSubmissionState;
  response: Jsonb<unknown> | null;
  /** The process that works on it. */
  lease_owner: string | null;
  /** End of its exclusive right to the row. */
  lease_until: Timestamp | null;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}

/** `reserved`: the handler runs. `settling`: the response is stored, the transfer may be sent. `settled`: final. */
export type PaymentState = 'reserved' | 'settling' | 'settled';

/** Payments that were presented, so that none is used for two requests and none is charged twice. */
export interface PaymentTable {
  chain_id: Int8;
  /** The token, lower case. */
  asset: string;
  /** Lower case. */
  payer: string;
  /** Of the authorization: `0x` and 64 lower-case hex digits. */
  nonce: string;
  /** Which request the payment is used for, and by what signature. */
  fingerprint: string;
  state: PaymentState;
  /** The transfer, once it is settled. */
  tx_hash: string | null;
  /** The paid response: status, media type and bytes. */
  response_status: number | null;
  response_type: string | null;
  response: Bytea | null;
  /** Receives the transfer; lower case. */
  pay_to: string;
  /** Base units of the token. */
  amount: Numeric;
  /** Unix seconds; the authorization is void from then on. */
  valid_before: Int8;
  /** The attempt that works on it. */
  lease_owner: string | null;
  /** End of its exclusive right to the row. Of a settled payment: until when its response is repeated. */
  lease_until: Timestamp | null;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}
