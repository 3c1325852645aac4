import { setMaxListeners } from 'node:events';
import { UpstreamUnavailableError } from '@yield-vault/protocol';

const retryAfterSeconds = 5;

/** The calls of a service that are under way, so that it can end in order. */
export interface InFlightCalls {
  /** Aborted when calls that only wait should end. */
  readonly signal: AbortSignal;
  /** @throws {UpstreamUnavailableError} when no call is taken any more */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Take no more calls, end those that only wait, and wait until none is left. */
  drain(): Promise<void>;
}

/** @param dependency - named in the error when a call comes too late */
export function createInFlightCalls(dependency: string): InFlightCalls {
  const running = new Set<Promise<unknown>>();
  const shutdown = new AbortController();
  // Each call that waits listens.
  setMaxListeners(0, shutdown.signal);
  return {
    signal: shutdown.signal,
    async run(call) {
      if (shutdown.signal.aborted)
        throw new UpstreamUnavailableError({
          detail: 'The service is shutting down.',
          details: { dependency },
          retryAfterSeconds,
        });
      const response = call();
      running.add(response);
      return response.finally(() => running.delete(response));
    },
    async drain() {
      shutdown.abort();
      await Promise.allSettled(running);
    },
  };
}
