import type { Pace } from './pace.js';

const runLength = 2_048;

/** Sort as `Array.prototype.toSorted` does, stable, without holding the thread for long. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  pace: Pace,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare));
    if (pace.isDue()) await pace.pause();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const left = runs[index]!;
      const right = runs[index + 1];
      merged.push(right === undefined ? left : await merge(left, right, compare, pace));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  pace: Pace,
): Promise<T[]> {
  const merged: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    // Of equals the left one comes first: that keeps the sort stable.
    merged.push(compare(left[l]!, right[r]!) <= 0 ? left[l++]! : right[r++]!);
    if (merged.length % runLength === 0 && pace.isDue()) await pace.pause();
  }
  for (; l < left.length; l++) merged.push(left[l]!);
  for (; r < right.length; r++) merged.push(right[r]!);
  return merged;
}
