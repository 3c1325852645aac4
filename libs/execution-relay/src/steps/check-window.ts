import { maxIntentTime } from '@yield-vault/protocol';
import { invalid } from '../errors.js';

export interface IntentWindow {
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
}

/**
 * Check that a window can be encoded and means what it says.
 *
 * @throws {TransactionValidationError} with reason INVALID_EXPIRY
 */
export function checkWindow({ expiry, validAfter }: IntentWindow): void {
  if (expiry === 0) throw invalid('INVALID_EXPIRY', 'An expiry of 0 would mean: never.');
  if (expiry > maxIntentTime || validAfter > maxIntentTime) {
    throw invalid('INVALID_EXPIRY', `expiry and validAfter are at most ${maxIntentTime}.`);
  }
  if (validAfter >= expiry) throw invalid('INVALID_EXPIRY', 'validAfter is not before expiry.');
}

/**
 * Check that an intent can be included now, by the bounds of the entry point.
 *
 * @param nowMs - Unix milliseconds
 * @throws {TransactionValidationError} with reason INTENT_EXPIRED or INTENT_NOT_YET_VALID
 */
export function requireDue({ expiry, validAfter }: IntentWindow, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  if (now >= expiry) throw invalid('INTENT_EXPIRED', `The intent expired at ${expiry}.`);
  if (now < validAfter) throw invalid('INTENT_NOT_YET_VALID', `The intent is valid after ${validAfter}.`);
}
