import { DelegateBackoff, handleWhen, retry, type RetryPolicy } from 'cockatiel';
import { ApiError, MalformedAnswerError, ServiceUnreachableError } from '../errors.js';

const firstDelayMs = 250;
const longestDelayMs = 30_000;

/**
 * - `repeatable`: sending it again changes nothing, so that it is also sent again when no answer came.
 * - `once`: sent again only where the service said that it did nothing.
 */
export type Safety = 'repeatable' | 'once';

/**
 * Make a policy that sends a request again while that may help, and waits as long as `Retry-After` says.
 *
 * @param retries How often at most; a request that would have to wait more than 30 s is given up at once.
 */
export function createRetry(safety: Safety, retries: number): RetryPolicy {
  return retry(
    handleWhen((error) => isWorthRepeating(error, safety) && waitMs(error) <= longestDelayMs),
    {
      maxAttempts: retries,
      backoff: new DelegateBackoff(({ attempt, result }) => {
        const error = 'error' in result ? result.error : undefined;
        const jittered = firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
        return Math.max(waitMs(error), Math.min(jittered, longestDelayMs));
      }),
    },
  );
}

function isWorthRepeating(error: unknown, safety: Safety): boolean {
  if (error instanceof ApiError) return error.retryable;
  return safety === 'repeatable' && isNoAnswer(error);
}

function isNoAnswer(error: unknown): error is ServiceUnreachableError | MalformedAnswerError {
  return error instanceof ServiceUnreachableError || error instanceof MalformedAnswerError;
}

function waitMs(error: unknown): number {
  const seconds = error instanceof ApiError || isNoAnswer(error) ? error.retryAfterSeconds : undefined;
  return (seconds ?? 0) * 1_000;
}
