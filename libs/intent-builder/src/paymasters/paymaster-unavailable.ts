import type { ActiveChain } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';

const retryAfterSeconds = 30;

/** Make the error for a paymaster that takes no operations now, whatever the wallet does. */
export function paymasterUnavailable(
  { key }: Pick<ActiveChain, 'key'>,
  detail: string,
  cause?: unknown,
): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail,
    details: { dependency: `paymaster:${key}` },
    retryAfterSeconds,
    cause,
  });
}
