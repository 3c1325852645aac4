import { daySeconds, hourSeconds } from '../metrics/statistics.js';
import { lastIndexAtOrBefore } from '../metrics/series.js';
import type { SeriesColumns } from '../ports.js';

/** APY and Sharpe ratio of a month look back 31 days; the margin is for a stale anchor. */
const hourlySeconds = 32 * daySeconds;
/** Drawdown looks back 90 days; the margin is for cleaning. */
const keptSeconds = 92 * daySeconds;
const slack = 64;

/** Columns that samples are put into. */
export interface GrowingColumns {
  /** @param isSettled - it was read at a block that is final */
  put(t: number, sharePrice: number, tvlUsd: number, origin: number, isSettled?: boolean): void;
  /** Holds until something changes. */
  view(): SeriesColumns;
  forgetBefore(t: number): void;
}

/** Create empty columns: every hour of 32 days, and the last sample of each day up to 92 days before the newest. */
export function createGrowingColumns(): GrowingColumns {
  let columns = allocate(slack);
  let length = 0;
  /** Later samples alone may still give way to newer ones that are not settled. */
  let settledUntil = -Infinity;

  /** Most samples are the newest of all. */
  const findBefore = (t: number) =>
    length > 0 && t >= columns.t[length - 1]! ? length - 1 : lastIndexAtOrBefore(columns.t, t, length);
  const set = (index: number, t: number, sharePrice: number, tvlUsd: number, origin: number) => {
    columns.t[index] = t;
    columns.sharePrice[index] = sharePrice;
    columns.tvlUsd[index] = tvlUsd;
    columns.origin[index] = origin;
  };
  const shift = (from: number, to: number) => {
    columns.t.copyWithin(to, from, length);
    columns.sharePrice.copyWithin(to, from, length);
    columns.tvlUsd.copyWithin(to, from, length);
    columns.origin.copyWithin(to, from, length);
  };

  /** Where hours are no longer kept, one sample stands for its day. */
  const bucketOf = (t: number, newest: number) =>
    Math.floor(t / (t > newest - hourlySeconds ? hourSeconds : daySeconds));
  const isSameBucket = (a: number, b: number, newest: number) =>
    a > newest - hourlySeconds === b > newest - hourlySeconds && bucketOf(a, newest) === bucketOf(b, newest);

  const isRival = (index: number, t: number, newest: number) =>
    index >= 0 && index < length && isSameBucket(columns.t[index]!, t, newest);

  /** The chain goes before a chart, then what is newer before what is older. */
  const isBetter = (t: number, origin: number, index: number) =>
    origin === columns.origin[index] ? t >= columns.t[index]! : origin < columns.origin[index]!;

  /** As `isBetter`; within an hour a settled one goes before any other. */
  const isReplacing = (t: number, origin: number, isSettled: boolean, index: number) => {
    const isOfHour = hourOf(t) === hourOf(columns.t[index]!);
    if (!isOfHour || origin !== columns.origin[index]) return isBetter(t, origin, index);
    return isSettled || (t >= settledUntil && isBetter(t, origin, index));
  };

  /** Thin out what is old in place; give more room where that frees too little. */
  const makeRoom = () => {
    const given = length;
    const newest = columns.t[given - 1]!;
    length = 0;
    for (let index = 0; index < given; index++) {
      const t = columns.t[index]!;
      if (t < newest - keptSeconds) continue;
      const sharePrice = columns.sharePrice[index]!;
      const tvlUsd = columns.tvlUsd[index]!;
      const origin = columns.origin[index]!;
      const last = length - 1;
      if (last < 0 || !isSameBucket(columns.t[last]!, t, newest))
        set(length++, t, sharePrice, tvlUsd, origin);
      else if (isBetter(t, origin, last)) set(last, t, sharePrice, tvlUsd, origin);
    }
    if (columns.t.length - length >= slack / 2) return;
    const smaller = columns;
    columns = allocate(length + Math.max(slack, length < 512 ? length >> 1 : 0));
    columns.t.set(smaller.t);
    columns.sharePrice.set(smaller.sharePrice);
    columns.tvlUsd.set(smaller.tvlUsd);
    columns.origin.set(smaller.origin);
  };

  return {
    put: (t, sharePrice, tvlUsd, origin, isSettled = false) => {
      const newest = Math.max(t, columns.t[length - 1] ?? t);
      if (!(t >= newest - keptSeconds)) return;
      if (isSettled) settledUntil = Math.max(settledUntil, (hourOf(t) + 1) * hourSeconds);
      const before = findBefore(t);
      const rival = isRival(before, t, newest)
        ? before
        : isRival(before + 1, t, newest)
          ? before + 1
          : undefined;
      if (rival !== undefined) {
        if (isReplacing(t, origin, isSettled, rival)) set(rival, t, sharePrice, tvlUsd, origin);
        return;
      }
      if (length === columns.t.length) makeRoom();
      const index = findBefore(t) + 1;
      if (index < length) shift(index, index + 1);
      set(index, t, sharePrice, tvlUsd, origin);
      length++;
    },
    view: () => ({
      t: columns.t.subarray(0, length),
      sharePrice: columns.sharePrice.subarray(0, length),
      tvlUsd: columns.tvlUsd.subarray(0, length),
      origin: columns.origin.subarray(0, length),
    }),
    forgetBefore: (t) => {
      const index = findBefore(t);
      const from = columns.t[index] === t ? index : index + 1;
      shift(from, 0);
      length -= from;
    },
  };
}

const hourOf = (t: number) => Math.floor(t / hourSeconds);

const allocate = (capacity: number): SeriesColumns => ({
  t: new Float64Array(capacity),
  sharePrice: new Float64Array(capacity),
  tvlUsd: new Float64Array(capacity),
  origin: new Uint8Array(capacity),
});
