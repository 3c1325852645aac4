import { setImmediate as nextTurn } from 'node:timers/promises';

const defaultSliceMs = 4;

/** Says when work has held the thread for long enough, and lets others have it. */
export interface Pace {
  /** Whether it is time for a pause. */
  isDue(): boolean;
  pause(): Promise<void>;
}

/** How to let others have the thread. */
export interface Slicing {
  /** Awaited whenever a slice is used up; lets one turn of the event loop pass by default. */
  readonly pause?: () => Promise<void>;
  /** Milliseconds of a slice (4). */
  readonly sliceMs?: number;
}

/**
 * Pace long work, so that requests are answered meanwhile. By the clock, which also counts what others took: a slice is
 * never longer than that.
 */
export function createPace({ pause = nextTurn, sliceMs = defaultSliceMs }: Slicing = {}): Pace {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since >= sliceMs,
    pause: async () => {
      await pause();
      since = performance.now();
    },
  };
}
