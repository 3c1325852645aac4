import type { LoggerPort } from '@yield-vault/protocol';

const logIntervalMs = 10_000;

/** Logs the progress of long work. */
export interface Progress {
  /** Add finished work with its duration, and the work that is left, in any unit. */
  advance(done: number, tookMs: number, left: number): void;
}

/** Log percent and time left, every ten seconds and at the end. */
export function createProgress(logger: LoggerPort, chain: string, what: string): Progress {
  let done = 0;
  let tookMs = 0;
  let loggedAtMs = -Infinity;
  return {
    advance: (units, ms, left) => {
      done += units;
      tookMs += ms;
      if (left > 0 && tookMs - loggedAtMs < logIntervalMs) return;
      loggedAtMs = tookMs;
      const percent = Math.floor((100 * done) / Math.max(1, done + left));
      const secondsLeft = Math.ceil((tookMs / 1_000) * (left / Math.max(1, done)));
      logger.info({ chain, percent, done, left, secondsLeft }, what);
      if (left === 0) {
        [done, tookMs, loggedAtMs] = [0, 0, -Infinity];
      }
    },
  };
}
