import type { Address, Hex } from 'viem';
import type { ErrorCode } from '../errors/error-catalogue.js';
import type { Json } from '../errors/service-error.js';
import type { ExecuteResponse } from './execute.js';

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

/** Why an intent has no effect and never will. */
export interface IntentFailureReport {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly details: Readonly<Record<string, Json>>;
  readonly nextAction: string;
}

/** An intent of the ledger. */
export interface IntentStatus {
  readonly intentId: Hex;
  readonly state: IntentState;
  /** Chain key. */
  readonly chain: string;
  readonly chainId: number;
  readonly wallet: Address;
  readonly userOpHash: Hex;
  readonly txHash: Hex | null;
  /** Unix seconds. */
  readonly expiry: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** The response of execute, once the operation is included. */
  readonly result: ExecuteResponse | null;
  readonly failure: IntentFailureReport | null;
}

export interface IntentListRequest {
  readonly wallet: Address;
  /** 1 to 50. */
  readonly limit: number;
}

/** Intents of a wallet that were submitted, newest first. */
export interface IntentListResponse {
  readonly wallet: Address;
  readonly count: number;
  readonly intents: readonly IntentStatus[];
}
