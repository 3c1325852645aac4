import type { PriceSeries } from './series.js';

/** Largest fall from a peak since a time, as a fraction of the peak. */
export function maxDrawdown(series: PriceSeries, since = -Infinity): number {
  let peak = 0;
  let worst = 0;
  for (const { t, sharePrice } of series) {
    if (t < since) continue;
    peak = Math.max(peak, sharePrice);
    if (peak > 0) worst = Math.max(worst, 1 - sharePrice / peak);
  }
  return worst;
}
