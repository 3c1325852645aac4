import { lastIndexAtOrBefore, type PricePoint, type SeriesColumns, type SnapshotOrigin } from './series.js';
import { daySeconds, hourSeconds } from './statistics.js';

/** APY and Sharpe ratio of a month look back 31 days; the margin is for a stale anchor. */
const hourlySeconds = 32 * daySeconds;
/** Drawdown looks back 90 days; the margin is for cleaning. */
export const keptSeconds = 92 * daySeconds;
const slack = 64;

/** A sample of a vault; its TVL is NaN where there is no price. */
export interface BookedSample extends Required<PricePoint> {
  readonly origin: SnapshotOrigin;
}

/** The samples of every vault that the metrics need, in memory. */
export interface SeriesBook {
  /** Add stored samples of a vault. */
  load(vault: number, columns: SeriesColumns): void;
  /** Add a sample, in any order. One per UTC hour is kept: the chain's before a chart's, then the newest. */
  add(vault: number, sample: BookedSample): void;
  /** The samples of a vault, oldest first; empty for an unknown vault. Valid until something changes. */
  columns(vault: number): SeriesColumns;
  /** Forget samples before a time, Unix seconds. */
  forgetBefore(t: number): void;
  drop(vault: number): void;
}

/**
 * Create an empty book. It keeps every hour of 32 days and the last sample of each day up to 92 days before the newest
 * one, in at most 25 KB for each vault.
 *
 * @example
 * const book = createSeriesBook();
 * book.add(1, { t: 1_790_000_000, sharePrice: 1.05, tvlUsd: 25_000_000, origin: snapshotOrigins.chain });
 * book.columns(1).sharePrice;
 */
export function createSeriesBook(): SeriesBook {
  const kept = new Map<number, GrowingColumns>();
  const columnsOf = (vault: number) => {
    const columns = kept.get(vault) ?? createGrowingColumns();
    kept.set(vault, columns);
    return columns;
  };
  return {
    load: (vault, { t, sharePrice, tvlUsd, origin }) => {
      const columns = columnsOf(vault);
      for (let index = 0; index < t.length; index++)
        columns.put(t[index]!, sharePrice[index]!, tvlUsd[index]!, origin[index]!);
    },
    add: (vault, { t, sharePrice, tvlUsd, origin }) => columnsOf(vault).put(t, sharePrice, tvlUsd, origin),
    columns: (vault) => (kept.get(vault) ?? empty).view(),
    forgetBefore: (t) => {
      for (const columns of kept.values()) columns.forgetBefore(t);
    },
    drop: (vault) => void kept.delete(vault),
  };
}

interface GrowingColumns {
  put(t: number, sharePrice: number, tvlUsd: number, origin: number): void;
  view(): SeriesColumns;
  forgetBefore(t: number): void;
}

function createGrowingColumns(): GrowingColumns {
  let columns = allocate(slack);
  let length = 0;

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
    for (const column of [columns.t, columns.sharePrice, columns.tvlUsd, columns.origin])
      column.copyWithin(to, from, length);
  };

  /** Before the hourly range, one sample represents its day. */
  const isSameBucket = (a: number, b: number, newest: number) => {
    const isHourly = a > newest - hourlySeconds;
    const size = isHourly ? hourSeconds : daySeconds;
    return isHourly === b > newest - hourlySeconds && Math.floor(a / size) === Math.floor(b / size);
  };
  const isRival = (index: number, t: number, newest: number) =>
    index >= 0 && index < length && isSameBucket(columns.t[index]!, t, newest);
  const isBetter = (t: number, origin: number, index: number) =>
    origin === columns.origin[index] ? t >= columns.t[index]! : origin < columns.origin[index]!;

  /** Thin out old samples in place; allocate more where that frees too little. */
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
    put: (t, sharePrice, tvlUsd, origin) => {
      const newest = Math.max(t, columns.t[length - 1] ?? t);
      if (!(t >= newest - keptSeconds)) return;
      const before = findBefore(t);
      const rival = [before, before + 1].find((index) => isRival(index, t, newest));
      if (rival !== undefined) {
        if (isBetter(t, origin, rival)) set(rival, t, sharePrice, tvlUsd, origin);
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

const allocate = (capacity: number): SeriesColumns => ({
  t: new Float64Array(capacity),
  sharePrice: new Float64Array(capacity),
  tvlUsd: new Float64Array(capacity),
  origin: new Uint8Array(capacity),
});

const empty = createGrowingColumns();
