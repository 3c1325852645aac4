import {
  IntentCancelledError,
  TransactionSubmissionError,
  type ExecuteResponse,
} from '@yield-vault/protocol';
import { invalid } from '../errors.js';
import type { IntentRecord } from '../ports.js';

/**
 * Answer for an intent whose life is over.
 *
 * @returns `undefined` while it is not
 * @throws {TransactionSubmissionError} when it failed for good
 * @throws {TransactionValidationError} when it expired unsubmitted
 * @throws {IntentCancelledError} when its owner cancelled it
 */
export function answerSettled({
  state,
  response,
  failure,
  expiry,
}: IntentRecord): ExecuteResponse | undefined {
  if (state === 'confirmed' && response) return { ...response, result: 'already_executed' };
  if (state === 'failed' && failure) throw new TransactionSubmissionError({ ...failure, retryable: false });
  if (state === 'expired') throw invalid('INTENT_EXPIRED', `The intent expired at ${expiry}.`);
  if (state === 'cancelled') throw new IntentCancelledError({ detail: 'The owner cancelled the intent.' });
  return undefined;
}
