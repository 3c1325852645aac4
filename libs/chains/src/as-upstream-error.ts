import { findError, UpstreamUnavailableError, walkCauses } from '@yield-vault/protocol';
import type { UpstreamFailure } from './rpc/upstream-failure.js';
import { upstreamReason } from './rpc/upstream-reason.js';

const defaultRetryAfterSeconds = 5;
const maxRetryAfterSeconds = 60;

/**
 * Recognise an outage anywhere in the cause chain: a dependency is down, slow, or sends malformed responses.
 *
 * @param dependency - named in `details.dependency` unless the error itself knows better, e.g. `rpc:base`
 * @returns `undefined` for everything else: a reverted execution is a result, not an outage
 */
export function asUpstreamError(error: unknown, dependency: string): UpstreamUnavailableError | undefined {
  const known = walkCauses(error).find((cause) => cause instanceof UpstreamUnavailableError);
  if (known) return known;
  const reason = upstreamReason(error);
  if (reason === undefined) return undefined;

  const failure = findError<UpstreamFailure>(error, 'UpstreamFailure');
  const name = failure?.dependency ?? dependency;
  return new UpstreamUnavailableError({
    detail: `${name}: ${reason}.`,
    details: { dependency: name },
    retryAfterSeconds: failure?.retryAfterSeconds ?? retryAfterSeconds(error),
    cause: error,
  });
}

/** Read the Retry-After header of a refused call, in seconds, within bounds. */
export function retryAfterSeconds(error: unknown): number {
  const http = findError(error, 'HttpRequestError');
  const seconds = Number(http?.headers?.get('Retry-After') ?? NaN);
  return seconds > 0 ? Math.min(Math.ceil(seconds), maxRetryAfterSeconds) : defaultRetryAfterSeconds;
}

/**
 * Recognise a failed read: the node did not respond, or it refused, for example because it lacks the block. Use it only
 * for reads that cannot revert: there a refusal means as much as an outage.
 */
export function asReadFailure(error: unknown, dependency: string): UpstreamUnavailableError | undefined {
  const outage = asUpstreamError(error, dependency);
  if (outage) return outage;
  const refusal = findError(error, 'RpcRequestError');
  if (!refusal) return undefined;
  return new UpstreamUnavailableError({
    detail: `${dependency}: the node refuses a read (JSON-RPC error ${refusal.code}).`,
    details: { dependency },
    retryAfterSeconds: defaultRetryAfterSeconds,
    cause: error,
  });
}

/** Whether the node responded without the requested data: it may lag behind others at the same address. */
export function isReadRefusal(error: unknown): error is UpstreamUnavailableError {
  return error instanceof UpstreamUnavailableError && findError(error.cause, 'RpcRequestError') !== undefined;
}

/**
 * Wait for a read of a chain's node that cannot revert. A refusal counts as an outage, because the node may lag behind;
 * any other error stays as it is.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond, or refuses the read
 */
export async function readFromNode<T>(chain: { readonly key: string }, response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    throw asReadFailure(error, `rpc:${chain.key}`) ?? error;
  }
}
