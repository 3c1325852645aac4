import type { Pace } from '../pace.js';

const runLength = 2_048;

/**
 * Sort the indexes below a count, stable, without holding the thread for long. Keys that the comparison looks up in
 * typed arrays are what makes it fast.
 */
export async function sortInSlices(
  count: number,
  compare: (a: number, b: number) => number,
  pace: Pace,
): Promise<Uint32Array> {
  let order = new Uint32Array(count);
  for (let index = 0; index < count; index++) order[index] = index;
  for (let start = 0; start < count; start += runLength) {
    order.subarray(start, start + runLength).sort(compare);
    if (pace.isDue()) await pace.pause();
  }
  let merged = new Uint32Array(count);
  for (let length = runLength; length < count; length *= 2) {
    for (let start = 0; start < count; start += 2 * length)
      await merge({ from: order, to: merged, start, length }, compare, pace);
    [order, merged] = [merged, order];
  }
  return order;
}

/** Two neighbouring runs, and where they go. */
interface Runs {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly start: number;
  readonly length: number;
}

async function merge(
  { from, to, start, length }: Runs,
  compare: (a: number, b: number) => number,
  pace: Pace,
): Promise<void> {
  const middle = Math.min(start + length, from.length);
  const end = Math.min(middle + length, from.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    // Of equals the left one comes first: that keeps the sort stable.
    const takesLeft = left < middle && (right === end || compare(from[left]!, from[right]!) <= 0);
    to[at] = takesLeft ? from[left++]! : from[right++]!;
    if (at % runLength === 0 && pace.isDue()) await pace.pause();
  }
}
