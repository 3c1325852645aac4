import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { HttpRequestError } from 'viem';
import { UpstreamFailure } from './rpc/upstream-failure.js';
import { upstreamReason } from './rpc/upstream-reason.js';
import { walkCauses } from './rpc/walk-causes.js';

const defaultRetryAfterSeconds = 5;
const maxRetryAfterSeconds = 60;

/**
 * Recognise that a dependency is down, slow or talking garbage, anywhere in the cause chain.
 *
 * @param dependency - named in `details.dependency` unless the error itself knows better, e.g. `rpc:base`
 * @returns `undefined` for everything else: an execution that reverted is an answer, not an outage
 */
export function asUpstreamError(error: unknown, dependency: string): UpstreamUnavailableError | undefined {
  const chain = walkCauses(error);
  const known = chain.find((cause) => cause instanceof UpstreamUnavailableError);
  if (known) return known;
  const reason = upstreamReason(error);
  if (reason === undefined) return undefined;

  const failure = chain.find((cause) => cause instanceof UpstreamFailure);
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
  const http = walkCauses(error).find((cause) => cause instanceof HttpRequestError);
  const seconds = Number(http?.headers?.get('Retry-After') ?? NaN);
  return seconds > 0 ? Math.min(Math.ceil(seconds), maxRetryAfterSeconds) : defaultRetryAfterSeconds;
}
