import { setTimeout as sleep } from 'node:timers/promises';

const firstRetryMs = 500;
const maxRetryMs = 15_000;

/** `more`: go on without a pause. */
export type Outcome = 'done' | 'failed' | 'more';

/**
 * Repeat work until the signal: once in each interval, or after a failure with growing pauses.
 *
 * @param work - never throws
 * @param wait - ends early on the signal, and does not throw then
 */
export async function repeat(
  work: () => Promise<Outcome>,
  intervalMs: number,
  signal: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = pause,
): Promise<void> {
  let retryMs = firstRetryMs;
  while (!signal.aborted) {
    const begun = performance.now();
    const outcome = await work();
    if (outcome === 'failed') {
      await wait(Math.min(intervalMs, retryMs), signal);
      retryMs = Math.min(2 * retryMs, maxRetryMs);
      continue;
    }
    retryMs = firstRetryMs;
    if (outcome === 'done') await wait(Math.max(0, intervalMs - (performance.now() - begun)), signal);
  }
}

/** Wait until the time or the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
