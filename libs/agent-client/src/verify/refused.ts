import type { Refusal } from './types.js';
import type { VerificationReason } from './verification-reason.js';

/** How a step of a verification ends it; never leaves this folder. */
class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.detail);
  }
}

/** End the verification. */
export function refuse(reason: VerificationReason, field: string, detail: string): never {
  throw new Refused({ ok: false, reason, field, detail });
}

/** End the verification unless a condition holds. A comparison with what is no number does not hold. */
export function demand(
  condition: boolean,
  reason: VerificationReason,
  field: string,
  detail: string,
): asserts condition {
  if (!condition) refuse(reason, field, detail);
}

/** Run a verification and answer with its verdict. */
export function verdictOf<Verified>(verify: () => Verified): Verified | Refusal {
  try {
    return verify();
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}
