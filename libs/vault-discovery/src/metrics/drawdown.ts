import { isPrice, type PriceSeries } from './series.js';

/** Largest fall from a peak since a time, as a fraction of the peak. */
export function maxDrawdown({ t, sharePrice }: PriceSeries, since = -Infinity): number {
  let peak = 0;
  let worst = 0;
  for (let index = 0; index < t.length; index++) {
    const price = sharePrice[index]!;
    if (t[index]! < since || !(isPrice(price) || price === 0)) continue;
    if (price >= peak) peak = price;
    else worst = Math.max(worst, 1 - price / peak);
  }
  return worst;
}
