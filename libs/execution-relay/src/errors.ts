import {
  TransactionValidationError,
  type Json,
  type TransactionValidationReason,
} from '@yield-vault/protocol';

/** Make the error of a signed intent that breaks a rule. */
export function invalid(
  reason: TransactionValidationReason,
  detail: string,
  details: Readonly<Record<string, Json>> = {},
): TransactionValidationError {
  return new TransactionValidationError({ detail, details: { reason, ...details } });
}

/** Make the error of an intent that no block can include any more. */
export function expired(expiry: number): TransactionValidationError {
  return invalid('INTENT_EXPIRED', `The intent expired at ${expiry}.`);
}
