import {
  TransactionPendingError,
  TransactionValidationError,
  type Json,
  type TransactionValidationReason,
} from '@yield-vault/protocol';
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

/** Make the error of a call that waited for another one, which ended without sending the intent. */
export function endedUnsent({ userOpHash }: VerifiedIntent): TransactionPendingError {
  return new TransactionPendingError({
    detail: 'Another call with this intent ended without sending it. Its response has the reason.',
    details: { userOpHash },
    retryAfterSeconds: 1,
  });
}
