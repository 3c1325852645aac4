import type { Pending } from '@yield-vault/chains';
import {
  TransactionPendingError,
  TransactionValidationError,
  type Json,
  type TransactionValidationReason,
} from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { VerifiedIntent } from './types.js';

/** Make the error of a signed intent that breaks a rule. */
export function invalid(
  reason: TransactionValidationReason,
  detail: string,
  details: Readonly<Record<string, Json>> = {},
  nextAction?: string,
): TransactionValidationError {
  return new TransactionValidationError({ detail, details: { reason, ...details }, nextAction });
}

/** Make the error of an intent that no block can include any more. */
export function expired(expiry: number): TransactionValidationError {
  return invalid('INTENT_EXPIRED', `The intent expired at ${expiry}.`);
}

/** Describe what a call waited for, for the error after its wait. */
export function notIncluded({ userOpHash }: Pick<VerifiedIntent, 'userOpHash'>): Pending {
  return { detail: 'The operation is not included yet.', details: { userOpHash } };
}

/** Make the error of an intent that this ledger did not send, and that nothing decides yet. */
export function unclear(intent: VerifiedIntent): TransactionPendingError {
  return new TransactionPendingError({ ...notIncluded(intent), retryAfterSeconds: 5 });
}

/** Make the error of a call that waited for another one, which did not execute the operation. */
export function endedUnsent({ userOpHash }: VerifiedIntent): TransactionPendingError {
  return new TransactionPendingError({
    detail: 'Another call for this operation ended, and did not execute it. Its response has the reason.',
    details: { userOpHash },
    retryAfterSeconds: 1,
  });
}

/** Make the error of a wallet that has too many open intents for another one. */
export function tooManyOpen({ userOpHash }: VerifiedIntent, openIntentId: Hex): TransactionPendingError {
  return new TransactionPendingError({
    detail: 'The wallet has too many open intents, all in all or with this nonce. Nothing was sent.',
    details: { userOpHash, openIntentId },
    nextAction: 'Wait until the intent details.openIntentId is final, and send the same request again.',
    retryAfterSeconds: 2,
  });
}
