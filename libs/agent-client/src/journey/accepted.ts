import { VerificationError } from '../errors.js';
import type { Refusal } from '../verify/types.js';

/**
 * Go on with a verdict only when it is good.
 *
 * @throws {VerificationError} When it is a refusal.
 * @example
 * const verified = accepted(verifyEnvelope(envelope, expectations));
 */
export function accepted<Verdict extends { readonly ok: boolean }>(
  verdict: Verdict | Refusal,
): Exclude<Verdict, Refusal> {
  if (!verdict.ok) throw new VerificationError(verdict as Refusal);
  return verdict as Exclude<Verdict, Refusal>;
}
