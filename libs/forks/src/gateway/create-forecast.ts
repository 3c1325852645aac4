import type { BlockRef } from '../types.js';

const observationsKept = 24;
const fewestObservations = 3;

/** Guesses the number of the newest block, so that its state can be asked for along with it. */
export interface Forecast {
  /** A block was the newest one at this time, in Unix milliseconds. */
  observe(block: BlockRef, at: number): void;
  /** The number that the newest block is likely to have; `undefined` while the chain does not keep time. */
  expect(at: number): bigint | undefined;
}

interface Observation {
  readonly block: BlockRef;
  readonly at: number;
}

/**
 * Make the forecast of a chain. A chain that adds blocks at equal intervals is known by its guesses being right; one
 * that adds them as it likes is never guessed.
 */
export function createForecast(): Forecast {
  let seen: readonly Observation[] = [];
  let wasRight = false;

  const guess = (at: number): bigint | undefined => {
    const last = seen.at(-1);
    const interval = blockInterval(seen);
    if (!last || interval === undefined || seen.length < fewestObservations) return undefined;
    const passed = Math.floor((at - milliseconds(last.block) - arrivalDelay(seen, interval)) / interval);
    return last.block.number + BigInt(Math.max(0, passed));
  };

  return {
    observe(block, at) {
      wasRight = guess(at) === block.number;
      seen = [...seen, { block, at }].slice(-observationsKept);
    },
    expect: (at) => (wasRight ? guess(at) : undefined),
  };
}

/** How long after its timestamp a block arrives, the difference of the clocks included. */
function arrivalDelay(seen: readonly Observation[], interval: number): number {
  const ages = seen.map(({ block, at }) => at - milliseconds(block));
  // Each block had arrived when it was seen, and the one after it had not.
  const atMost = Math.min(...ages);
  const atLeast = Math.max(...ages) - interval;
  return atLeast < atMost ? (atLeast + atMost) / 2 : atMost;
}

/** The shortest time between two blocks: a block may be left out, but none comes early. */
function blockInterval(seen: readonly Observation[]): number | undefined {
  const intervals = seen.slice(1).flatMap(({ block }, index) => {
    const before = seen[index]!.block;
    const blocks = Number(block.number - before.number);
    return blocks > 0 ? [(milliseconds(block) - milliseconds(before)) / blocks] : [];
  });
  const shortest = Math.min(...intervals);
  return Number.isFinite(shortest) && shortest > 0 ? shortest : undefined;
}

const milliseconds = ({ timestamp }: BlockRef) => Number(timestamp) * 1_000;
