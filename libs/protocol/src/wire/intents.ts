import type { ErrorCode } from '../errors/error-catalogue.js';
import type { Json } from '../errors/service-error.js';
import type { ExecuteResponse } from './execute.js';
import type { Address, ChainId, Hash32, Integer, Timestamp, UnixSeconds } from './values.js';

/** Life of a signed intent, in order. The last three are final; `included` becomes final with its confirmations. */
export const intentStates = [
  'reserved',
  'simulated',
  'submitted',
  'included',
  'confirmed',
  'failed',
  'expired',
] as const;

export type IntentState = (typeof intentStates)[number];

/** Why the intent has no effect and never will. @schema IntentFailure */
export interface IntentFailureReport {
  /** Stable code of the error. @example TRANSACTION_SUBMISSION_FAILED */
  readonly code: ErrorCode;
  /** What happened. @example The operation was included and reverted: INSUFFICIENT_BALANCE. */
  readonly detail: string;
  /**
   * Particulars, such as revertReason, aaCode or txHash.
   * @example {"revertReason": "INSUFFICIENT_BALANCE"}
   */
  readonly details: Readonly<Record<string, Json>>;
  /** What to do next. @example Check balance and limits, then call prepare again. */
  readonly nextAction: string;
}

/** A signed intent of the ledger. */
export interface IntentStatus {
  /** Id of the intent: its merkle root. @example {hash32} */
  readonly intentId: Hash32;
  /**
   * confirmed, failed and expired are final. An included intent has a result that a reorganisation may still
   * undo.
   * @example confirmed
   */
  readonly state: IntentState;
  /** Chain key. @example base */
  readonly chain: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** The wallet. @example {agentAddress} */
  readonly wallet: Address;
  /** Hash of the user operation. @example {hash32} */
  readonly userOpHash: Hash32;
  /** Hash of the transaction, once the operation is included. @example {hash32} */
  readonly txHash: Hash32 | null;
  /** Unix time in seconds after which it cannot be included. @example 1767225600 */
  readonly expiry: UnixSeconds;
  /** When it was executed first. @example 2026-01-01T12:00:00.000Z */
  readonly createdAt: Timestamp;
  /** When its state changed last. @example 2026-01-01T12:00:02.000Z */
  readonly updatedAt: Timestamp;
  /** The response of execute, once the operation is included. */
  readonly result: ExecuteResponse | null;
  /** Set in the states failed and expired. */
  readonly failure: IntentFailureReport | null;
  /**
   * The submitted intent of the same operation, whose state this one shows. Only where this one is its
   * duplicate.
   * @example {hash32}
   */
  readonly duplicateOf?: Hash32;
}

export interface IntentListRequest {
  readonly wallet: Address;
  /** 1 to 50. */
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** Only intents in this state. */
  readonly state?: IntentState;
}

/** Intents of a wallet that were submitted. */
export interface IntentListResponse {
  /** The wallet. @example {agentAddress} */
  readonly wallet: Address;
  /** Number of intents. @example 1 */
  readonly count: Integer;
  /** Newest first. */
  readonly intents: readonly IntentStatus[];
  /** Pass it as `cursor` to list older intents; null on the last page. @example null */
  readonly nextCursor: string | null;
}
