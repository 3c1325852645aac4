import { agentAddressBook } from './address-book/agent-address-book.js';
import { verdictOf } from './refused.js';
import { recomputeEnvelope } from './steps/recompute-envelope.js';
import { toVerified } from './steps/to-verified.js';
import type { EnvelopeVerdict, VerifyOptions } from './types.js';

/** Price of one ether in US dollars, to read gas as USDC where nobody named a lower one. */
export const defaultMaxEthUsd = 10_000;

/**
 * Tell what an envelope does, once everything in it has been recomputed. That it agrees with itself and the address
 * book does not mean that anybody asked for it, that its minimums are fair or that it has not expired: to sign it,
 * `verifyEnvelope`.
 *
 * @returns the effects, or the reason why no honest deployment made this
 */
export function describeEnvelope(
  envelope: unknown,
  { addressBook = agentAddressBook }: Pick<VerifyOptions, 'addressBook'> = {},
): EnvelopeVerdict {
  return verdictOf(() => toVerified(recomputeEnvelope(envelope, addressBook), defaultMaxEthUsd, addressBook));
}
