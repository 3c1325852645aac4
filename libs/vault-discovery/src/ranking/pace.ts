import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceMs = 5;

/** Says when work has held the thread for long enough, and lets others have it. */
export interface Pace {
  /** Whether it is time for a pause. */
  isDue(): boolean;
  pause(): Promise<void>;
}

/** Pace long work, so that requests are answered meanwhile. */
export function createPace(): Pace {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since >= sliceMs,
    pause: async () => {
      await nextTurn();
      since = performance.now();
    },
  };
}
