import type { ActiveChain } from '@yield-vault/chains';
import { paymasterUnavailable } from '../paymasters/paymaster-unavailable.js';
import type { IntentBuilderOptions } from '../types.js';

/** When an intent is valid, in Unix seconds. */
export interface IntentWindow {
  readonly expiry: number;
  readonly validAfter: number;
}

// What is about to run out leaves no time to sign.
const shortestValiditySeconds = 30;

/**
 * Say when an intent is valid: never longer than its paymaster accepts it.
 *
 * @param validUntil - of the paymaster, in Unix seconds
 * @param nowMs - milliseconds since 1970
 * @throws {UpstreamUnavailableError} when the paymaster leaves no time to sign
 */
export function intentWindow(
  chain: ActiveChain,
  validUntil: number,
  options: Pick<IntentBuilderOptions, 'expirySeconds' | 'validAfterSeconds'>,
  nowMs: number,
): IntentWindow {
  const { expirySeconds, validAfterSeconds } = options;
  const now = Math.floor(nowMs / 1000);
  if (validUntil < now + shortestValiditySeconds) {
    throw paymasterUnavailable(chain, `The price of the paymaster on ${chain.key} has run out.`);
  }
  return {
    expiry: Math.min(now + expirySeconds, validUntil),
    validAfter: validAfterSeconds === 0 ? 0 : now + validAfterSeconds,
  };
}
