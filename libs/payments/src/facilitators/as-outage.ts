import { asUpstreamError, isOutOfGas } from '@yield-vault/chains';
import type { UpstreamUnavailableError } from '@yield-vault/protocol';
import { BaseError, RpcRequestError } from 'viem';
import { unavailable } from '../errors.js';

/**
 * Recognise that a node gave no answer about a payment: it is down, or it refused the question itself.
 *
 * @returns `undefined` for a revert, and for what a payer's contract answers, however strange
 */
export function asOutage(error: unknown, dependency: string): UpstreamUnavailableError | undefined {
  const known = asUpstreamError(error, dependency);
  if (known) return known;
  const refusal = error instanceof BaseError && error.walk((cause) => cause instanceof RpcRequestError);
  if (!(refusal instanceof RpcRequestError)) return undefined;
  const isVerdict =
    typeof refusal.data === 'string' || /revert/i.test(refusal.details) || isOutOfGas(refusal);
  return isVerdict ? undefined : unavailable(dependency, 'the node refuses the question', error);
}
