import type { Trip } from '../start-latency-proxy.js';

/** Count how many of some round trips had to wait for another one: the longest row of them, one after the other. */
export function sequentialTrips(trips: readonly Trip[]): number {
  const rows: { readonly end: number; readonly length: number }[] = [];
  for (const { start, end } of [...trips].sort((a, b) => a.start - b.start)) {
    const before = rows.filter((row) => row.end <= start).map(({ length }) => length);
    rows.push({ end, length: Math.max(0, ...before) + 1 });
  }
  return Math.max(0, ...rows.map(({ length }) => length));
}
