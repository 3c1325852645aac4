import { hourSeconds } from '../metrics/statistics.js';
import type { SeriesColumns } from '../ports.js';

const hourlyUsd = 10_000;
const dailyUsd = 1_000;
/** What is left of a vault's peak from which on hardly anyone is in it. */
const deserted = 0.1;

/** How many hours lie between two samples of a vault: an hour, a day, a week. */
export type PollingHours = 1 | 24 | 168;

/** What a vault holds now and held at most, USD; undefined when nobody knows. */
export interface KnownTvl {
  readonly last: number | undefined;
  readonly peak: number | undefined;
}

/** Find the newest and the largest known TVL of a series. */
export function knownTvl({ tvlUsd }: Pick<SeriesColumns, 'tvlUsd'>): KnownTvl {
  let last: number | undefined;
  let peak: number | undefined;
  for (const usd of tvlUsd) {
    if (Number.isNaN(usd)) continue;
    last = usd;
    peak = Math.max(peak ?? 0, usd);
  }
  return { last, peak };
}

/**
 * Decide how often a vault is sampled. A vault of $10 000 or more is sampled hourly however far it fell, and so is
 * one whose TVL is unknown; a smaller one daily; one below $1 000, or that lost 90 % of its peak, weekly.
 */
export function pollingHours({ last, peak }: KnownTvl): PollingHours {
  if (last === undefined || last >= hourlyUsd) return 1;
  return last < dailyUsd || last <= deserted * (peak ?? last) ? 168 : 24;
}

/** Whether an hour (its start, Unix seconds) is sampled: the last of a UTC day or week stands for it. */
export function isDue(hour: number, polling: PollingHours): boolean {
  return (hour / hourSeconds) % polling === polling - 1;
}

/** How many due hours lie in [from, until), which are hours. */
export function dueHours(from: number, until: number, polling: PollingHours): number {
  return Math.max(0, Math.floor(until / hourSeconds / polling) - Math.floor(from / hourSeconds / polling));
}
