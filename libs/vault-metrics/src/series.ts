/** Share price of a vault at a time. */
export interface PricePoint {
  /** Unix seconds. */
  readonly t: number;
  /** Assets per share, at any constant scale; 0 is a total loss. */
  readonly sharePrice: number;
  /** USD held by the vault; absent counts as enough. */
  readonly tvlUsd?: number;
}

/** A measured series, column by column; oldest first, times strictly increasing. */
export interface PriceSeries {
  /** Unix seconds. */
  readonly t: Float64Array;
  /** Assets per share, at any constant scale; 0 is a total loss. */
  readonly sharePrice: Float64Array;
  /** NaN where there is no price: counts as enough. */
  readonly tvlUsd: Float64Array;
}

/** The origin of a sample: the chain, or an external chart where no node has the state. */
export const snapshotOrigins = { chain: 0, externalChart: 1 } as const;
export type SnapshotOrigin = (typeof snapshotOrigins)[keyof typeof snapshotOrigins];

/** A measured series whose samples have an origin. */
export interface SeriesColumns extends PriceSeries {
  /** `snapshotOrigins`. */
  readonly origin: Uint8Array;
}

/**
 * Turn points into the columns that the metrics are computed from.
 *
 * @param points - oldest first
 * @throws {RangeError} when a time is no number, stands twice, or is out of order
 * @example
 * maxDrawdown(toSeries([{ t: 0, sharePrice: 1 }, { t: 86_400, sharePrice: 0.99 }])); // 0.01
 */
export function toSeries(points: readonly PricePoint[]): PriceSeries {
  const series = {
    t: new Float64Array(points.length),
    sharePrice: new Float64Array(points.length),
    tvlUsd: new Float64Array(points.length),
  };
  let before = -Infinity;
  points.forEach(({ t, sharePrice, tvlUsd = NaN }, index) => {
    if (!(t > before && t < Infinity))
      throw new RangeError(`time ${t} of point ${index} is not after ${before}`);
    series.t[index] = t;
    series.sharePrice[index] = sharePrice;
    series.tvlUsd[index] = tvlUsd;
    before = t;
  });
  return series;
}

/** Index of the last of ascending times (the first `length` of them) at or before `t`, −1 when there is none. */
export function lastIndexAtOrBefore(times: Float64Array, t: number, length = times.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Whether a price can be compared with another one. */
export const isPrice = (price: number | undefined): price is number =>
  price !== undefined && price > 0 && price < Infinity;

/** Keep the last point of each UTC bucket. Nothing is averaged or interpolated; empty buckets are left out. */
export function lastPerBucket<T extends { readonly t: number }>(
  points: readonly T[],
  bucketSeconds: number,
): T[] {
  const kept: T[] = [];
  let bucket: number | undefined;
  for (const point of points) {
    const next = Math.floor(point.t / bucketSeconds);
    if (next === bucket) kept[kept.length - 1] = point;
    else kept.push(point);
    bucket = next;
  }
  return kept;
}

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
