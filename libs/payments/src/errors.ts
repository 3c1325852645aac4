import { PaymentInUseError, RateLimitExceededError, UpstreamUnavailableError } from '@yield-vault/protocol';
import type { PaymentChain } from './types.js';

const inFlightRetrySeconds = 2;
const unknownRetrySeconds = 5;
const repeatSafely =
  'Send the same request with the same payment after the Retry-After time. It is charged at most once.';

/** A dependency failed, or the outcome of a payment is unknown. */
export function unavailable(dependency: string, reason: string, cause?: unknown): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `${dependency}: ${reason}.`,
    details: { dependency },
    nextAction: repeatSafely,
    retryAfterSeconds: unknownRetrySeconds,
    cause,
  });
}

/** A transfer may be pending, or included in a block that our node does not show yet. */
export function unconfirmed({ key }: PaymentChain, cause?: unknown): UpstreamUnavailableError {
  return unavailable(`rpc:${key}`, 'the payment is not confirmed yet', cause);
}

/** Another attempt processes the same request with the same payment. */
export function inFlight(): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: 'A request with this payment is in progress.',
    details: { dependency: 'payments' },
    nextAction: repeatSafely,
    retryAfterSeconds: inFlightRetrySeconds,
  });
}

/** The payment belongs to another request that is in progress. */
export function inUse(): PaymentInUseError {
  return new PaymentInUseError({ detail: 'Another request uses this payment.' });
}

/** The ledger is full, or the payer has too many payments in flight. */
export function tooManyInFlight(of: 'ledger' | 'payer'): RateLimitExceededError | UpstreamUnavailableError {
  if (of === 'ledger') return unavailable('payments', 'too many payments are in flight');
  return new RateLimitExceededError({
    detail: 'This payer has too many payments in flight.',
    nextAction: 'Wait until earlier paid requests are finished.',
    retryAfterSeconds: inFlightRetrySeconds,
  });
}
