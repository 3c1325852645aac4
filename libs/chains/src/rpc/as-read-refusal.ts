import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { BaseError, RpcRequestError } from 'viem';
import { asUpstreamError } from '../as-upstream-error.js';

const retryAfterSeconds = 5;

/**
 * Recognise that a node answered a read with a refusal, such as a block or state that it lacks. It is as good as down
 * where every node can tell what is read. A revert counts too: use it only for reads that cannot revert.
 */
export function asReadRefusal(error: unknown, dependency: string): UpstreamUnavailableError | undefined {
  const refusal = error instanceof BaseError && error.walk((cause) => cause instanceof RpcRequestError);
  if (!(refusal instanceof RpcRequestError)) return undefined;
  return new UpstreamUnavailableError({
    detail: `${dependency}: the node refuses a read (JSON-RPC error ${refusal.code}).`,
    details: { dependency },
    retryAfterSeconds,
    cause: error,
  });
}

/** Recognise that a node told nothing of what was read: it did not answer, or it refused (see `asReadRefusal`). */
export function asReadFailure(error: unknown, dependency: string): UpstreamUnavailableError | undefined {
  return asUpstreamError(error, dependency) ?? asReadRefusal(error, dependency);
}
