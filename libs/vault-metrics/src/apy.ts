import type { Apy } from '@yield-vault/protocol';
import { isPrice, lastIndexAtOrBefore, type PriceSeries } from './series.js';
import { clamp, daySeconds, hourSeconds, yearSeconds } from './statistics.js';

/** The window of one APY; seconds. */
export interface ApyWindow {
  readonly window: number;
  /** How much older than the window its first sample may be. */
  readonly tolerance: number;
  /** Below it the APY is not served. */
  readonly minSpan: number;
}

export const apyWindows = {
  now: { window: daySeconds, tolerance: 2 * hourSeconds, minSpan: 6 * hourSeconds },
  week: { window: 7 * daySeconds, tolerance: 6 * hourSeconds, minSpan: 3 * daySeconds },
  month: { window: 30 * daySeconds, tolerance: daySeconds, minSpan: 10 * daySeconds },
} as const satisfies Record<keyof Apy, ApyWindow>;

const fallbacks = {
  now: ['now', 'week', 'month'],
  week: ['week', 'month', 'now'],
  month: ['month', 'week', 'now'],
} as const satisfies Record<keyof Apy, readonly (keyof Apy)[]>;

const lowestApy = -99.99;
const highestApy = 1_000;

/** `full`: over the whole window. `gap`: from the first sample after a gap. `partial`: from the first sample. */
export type ApyQuality = 'full' | 'gap' | 'partial';

/** An APY in percent with its samples; null when the history is too short. */
export type ApyMeasurement =
  | {
      readonly value: number;
      readonly quality: ApyQuality;
      /** Seconds. */
      readonly elapsed: number;
      /** Index of the first sample. */
      readonly from: number;
      /** Index of the last sample. */
      readonly to: number;
    }
  | { readonly value: null };

/**
 * Measure the APY of the window that ends at a sample.
 *
 * @param end - index of that sample, the last one when left out
 * @returns percent, −99.99 to 1000
 */
export function measureApy(
  { t, sharePrice }: PriceSeries,
  { window, tolerance, minSpan }: ApyWindow,
  end = t.length - 1,
): ApyMeasurement {
  const until = t[end];
  const last = sharePrice[end];
  if (until === undefined || !(isPrice(last) || last === 0)) return { value: null };
  const target = until - window;
  const anchor = lastIndexAtOrBefore(t, target);
  const isFresh = anchor >= 0 && target - t[anchor]! <= tolerance;
  const from = isFresh ? anchor : anchor + 1;
  const elapsed = until - t[from]!;
  const first = sharePrice[from];
  if (elapsed < minSpan || !isPrice(first)) return { value: null };
  const growth = (last / first) ** (yearSeconds / elapsed);
  return {
    value: clamp((growth - 1) * 100, lowestApy, highestApy),
    quality: isFresh ? 'full' : anchor >= 0 ? 'gap' : 'partial',
    elapsed,
    from,
    to: end,
  };
}

/** The measurement of each window, without fallbacks. */
export type ApyMeasurements = Readonly<Record<keyof Apy, ApyMeasurement>>;

/** Measure the APY of all three windows that end at the last sample. */
export const measureApys = (series: PriceSeries): ApyMeasurements => ({
  now: measureApy(series, apyWindows.now),
  week: measureApy(series, apyWindows.week),
  month: measureApy(series, apyWindows.month),
});

export interface ServedApy {
  /** Percent. */
  readonly apy: Apy;
  /** The window that each value is from; null when none is usable. */
  readonly servedBy: Readonly<Record<keyof Apy, keyof Apy | null>>;
  /** False when no window is usable: the APY is served as 0 and the vault is not listed. */
  readonly isUsable: boolean;
}

/** Replace an unusable window by the next best one. */
export function serveApy(measured: ApyMeasurements): ServedApy {
  const find = (key: keyof Apy) => fallbacks[key].find((name) => measured[name].value !== null) ?? null;
  const servedBy = { now: find('now'), week: find('week'), month: find('month') };
  const valueOf = (name: keyof Apy | null) => (name === null ? 0 : (measured[name].value ?? 0));
  return {
    apy: { now: valueOf(servedBy.now), week: valueOf(servedBy.week), month: valueOf(servedBy.month) },
    servedBy,
    isUsable: servedBy.now !== null,
  };
}
