import { PaymentInUseError, RateLimitExceededError, UpstreamUnavailableError } from '@yield-vault/protocol';
import type { PaymentChain } from './ports.js';

const inFlightRetrySeconds = 2;
const unknownRetrySeconds = 5;

/** The options cannot work; `problems` lists what is wrong, without any secret. */
export class PaymentSetupError extends Error {
  readonly code = 'PAYMENT_SETUP_INVALID' as const;

  constructor(readonly problems: readonly string[]) {
    super(`Payments cannot be taken:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'PaymentSetupError';
  }
}

/** The outcome of a payment is unknown, or nobody can be asked: the same payment again charges once at most. */
export function unavailable(dependency: string, reason: string, cause?: unknown): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `${dependency}: ${reason}.`,
    details: { dependency },
    nextAction: 'Send the same request with the same payment after the Retry-After time: it is charged once.',
    retryAfterSeconds: unknownRetrySeconds,
    cause,
  });
}

/** A transfer may be on its way, or mined where our node does not see it yet. */
export function unconfirmed({ key }: PaymentChain, cause?: unknown): UpstreamUnavailableError {
  return unavailable(`rpc:${key}`, 'the payment is not confirmed yet', cause);
}

/** The same payment for the same request is being worked on. */
export function inFlight(): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: 'The request that this payment pays for is being answered.',
    details: { dependency: 'payments' },
    nextAction: 'Send the same request with the same payment after the Retry-After time: it is charged once.',
    retryAfterSeconds: inFlightRetrySeconds,
  });
}

/** The same payment is being used for another request. */
export function inUse(): PaymentInUseError {
  return new PaymentInUseError({ detail: 'This payment is being used for another request.' });
}

/** There is no room in the ledger. */
export function tooManyInFlight(of: 'ledger' | 'payer'): RateLimitExceededError | UpstreamUnavailableError {
  if (of === 'ledger') return unavailable('payments', 'too many payments are in flight');
  return new RateLimitExceededError({
    detail: 'This payer has too many payments in flight.',
    nextAction: 'Wait for earlier paid requests to be answered.',
    retryAfterSeconds: inFlightRetrySeconds,
  });
}
