import { ForkNotRunningError } from '@yield-vault/protocol';

/** One signal for a time limit and for callers that abort earlier. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether the time limit is why it was aborted. */
  readonly hasPassed: () => boolean;
  /** Settle as the work does, or reject with the reason of the signal when that comes first. */
  readonly race: <T>(work: Promise<T>) => Promise<T>;
  /** Let go of the timer and of the other signals. */
  readonly clear: () => void;
}

/**
 * Make the deadline of one use. Written out because `AbortSignal.any` keeps something of every use for as long as the
 * longest-lived of its signals.
 */
export function createDeadline(ms: number, others: readonly (AbortSignal | undefined)[] = []): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const sources = others.filter((other) => other !== undefined);
  let passed = false;

  const follow = (): void => controller.abort(sources.find(({ aborted }) => aborted)?.reason);
  const timer = setTimeout(() => {
    if (signal.aborted) return;
    passed = true;
    controller.abort(
      new ForkNotRunningError({
        detail: `The fork was not done within ${String(ms)} ms.`,
        retryAfterSeconds: 1,
      }),
    );
  }, ms);
  for (const source of sources) source.addEventListener('abort', follow, { once: true });
  if (sources.some(({ aborted }) => aborted)) follow();

  return {
    signal,
    hasPassed: () => passed,
    async race(work) {
      let stop: (() => void) | undefined;
      const aborted = new Promise<never>((_, reject) => {
        stop = () => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
      });
      try {
        return await Promise.race([work, aborted]);
      } finally {
        if (stop) signal.removeEventListener('abort', stop);
      }
    },
    clear() {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', follow);
    },
  };
}
