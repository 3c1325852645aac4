import { daySeconds, hourSeconds } from '../metrics/statistics.js';
import type { Gap } from './types.js';

const longestPause = 2 * hourSeconds;
const lookBack = 31 * daySeconds;
const mostGaps = 20;

/**
 * Find the periods without a sample that reach into the last 31 days, the one that still lasts included.
 *
 * @param times - of samples, ascending
 * @param now - Unix seconds
 * @returns newest first, at most 20
 */
export function findGaps(times: Float64Array, now: number): Gap[] {
  const gaps: Gap[] = [];
  let until = now;
  for (let index = times.length - 1; index >= 0 && until > now - lookBack; index--) {
    const from = times[index]!;
    if (until - from > longestPause && gaps.push({ from, until }) === mostGaps) break;
    until = from;
  }
  return gaps;
}
