import type { Apy } from '@yield-vault/protocol';
import { clamp, daySeconds, hourSeconds, yearSeconds } from './statistics.js';
import { lastIndexAtOrBefore, type PriceSeries } from './series.js';

/** How one APY is measured; seconds. */
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

/** `full`: over the whole window. `gap`: from the first sample after a gap. `partial`: from the first sample. */
export type ApyQuality = 'full' | 'gap' | 'partial';

/** An APY in percent with the seconds it was measured over; null when the history is too short. */
export type ApyMeasurement =
  | { readonly value: number; readonly quality: ApyQuality; readonly elapsed: number }
  | { readonly value: null };

/** Measure the APY of the window that ends at `series[end]`, by default the last sample. */
export function measureApy(
  series: PriceSeries,
  { window, tolerance, minSpan }: ApyWindow,
  end = series.length - 1,
): ApyMeasurement {
  const last = series[end];
  if (!last) return { value: null };
  const target = last.t - window;
  const index = lastIndexAtOrBefore(series, target);
  const anchor = series[index];
  const isFresh = anchor !== undefined && target - anchor.t <= tolerance;
  const from = isFresh ? anchor : series[index + 1];
  const quality: ApyQuality = isFresh ? 'full' : anchor ? 'gap' : 'partial';
  const elapsed = from ? last.t - from.t : 0;
  if (!from || elapsed < minSpan || from.sharePrice <= 0) return { value: null };
  const growth = (last.sharePrice / from.sharePrice) ** (yearSeconds / elapsed);
  return { value: clamp((growth - 1) * 100, -99.99, 1_000), quality, elapsed };
}

export interface ServedApy {
  readonly apy: Apy;
  /** False when no window is usable: the APY is served as 0 and the vault is not listed. */
  readonly isUsable: boolean;
}

/** Measure all three APYs in percent; one that is not usable is replaced by the next best window. */
export function serveApy(series: PriceSeries): ServedApy {
  const measured = {
    now: measureApy(series, apyWindows.now).value,
    week: measureApy(series, apyWindows.week).value,
    month: measureApy(series, apyWindows.month).value,
  };
  const serve = (key: keyof Apy) =>
    fallbacks[key].map((name) => measured[name]).find((value) => value !== null) ?? 0;
  return {
    apy: { now: serve('now'), week: serve('week'), month: serve('month') },
    isUsable: Object.values(measured).some((value) => value !== null),
  };
}
