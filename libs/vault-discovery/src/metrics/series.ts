/** Share price of a vault at a time. */
export interface PricePoint {
  /** Unix seconds. */
  readonly t: number;
  /** Assets per share, at any constant scale. */
  readonly sharePrice: number;
  /** USD held by the vault; absent counts as enough. */
  readonly tvlUsd?: number;
}

/** A measured series, oldest first, times strictly increasing. */
export type PriceSeries = readonly PricePoint[];

/** Index of the last point at or before `t`, −1 when there is none. */
export function lastIndexAtOrBefore(series: PriceSeries, t: number): number {
  let low = 0;
  let high = series.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series[middle]!.t <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
