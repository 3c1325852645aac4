import type { Bytea, DefaultedTimestamp, Int8, Timestamp } from './columns.js';

/** Life of a payment: `settling` has the answer that it pays for, `settled` is final. */
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
  /** What the payment buys: status, media type and bytes of the answer. */
  answer_status: number | null;
  answer_type: string | null;
  answer: Bytea | null;
  /** Who works on it. */
  lease_owner: string | null;
  /** Until when that one has it for itself. */
  lease_until: Timestamp | null;
  /** When the row may go: later than the authorization is valid. */
  expires_at: Timestamp;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}
