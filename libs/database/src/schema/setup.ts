import type { DefaultedTimestamp, Int8, Jsonb, Timestamp } from './columns.js';

/** Life of a relayed setup transaction: `submitted` is written before the node gets it, `confirmed` is final. */
export type SetupSubmissionState = 'claimed' | 'submitted' | 'confirmed';

/** Setup transactions that were relayed, so that relaying one again gives the first answer. */
export interface SetupSubmissionTable {
  /** `0x` and 64 lower-case hex digits. */
  tx_hash: string;
  chain_id: Int8;
  /** Lower case. */
  wallet: string;
  ticket_id: string;
  state: SetupSubmissionState;
  response: Jsonb<unknown> | null;
  /** Who works on it. */
  lease_owner: string | null;
  /** Until when that one has it for itself. */
  lease_until: Timestamp | null;
  created_at: DefaultedTimestamp;
  updated_at: DefaultedTimestamp;
}
