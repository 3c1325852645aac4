import { ranOut } from '../facilitators/reasons.js';
import type { Payment } from '../types.js';

/** Least seconds that an authorization must be valid for: the answer has to be made and the transfer mined. */
export const leastSeconds = 10;
/** Clocks of payers may be ahead of ours by this much. */
export const skewSeconds = 30;

/**
 * Say what is wrong with the time in which an authorization is valid. One that is valid for much longer than was asked
 * for is refused, because the ledger would have to remember it for as long.
 *
 * @param nowMs - Unix milliseconds
 */
export function checkWindow({ authorization, terms }: Payment, nowMs: number): string | undefined {
  const now = BigInt(Math.floor(nowMs / 1000));
  const { validAfter, validBefore } = authorization;
  const latest = now + BigInt(terms.maxTimeoutSeconds + skewSeconds);
  if (validBefore < now + BigInt(leastSeconds) || validBefore > latest) return ranOut;
  return validAfter > now ? 'invalid_exact_evm_payload_authorization_valid_after' : undefined;
}
