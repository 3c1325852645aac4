import type { TrackedVault } from '../chain/sample-block.js';
import type { SeriesColumns, Snapshot } from '../ports.js';
import { createGrowingColumns, type GrowingColumns } from './growing-columns.js';
import { sharePriceOf, tvlUsdOf } from './snapshot-values.js';

/** The samples of every vault that the metrics need, in memory. */
export interface SeriesBook {
  /** Take stored samples of a vault in. */
  load(vault: number, columns: SeriesColumns): void;
  /**
   * Take a snapshot in, in any order. One per UTC hour is kept: of the chain before one of a chart, then the settled
   * one, then the newest.
   *
   * @param isSettled - it was read at a block that is final, as every due hour before it (false)
   */
  add(vault: Pick<TrackedVault, 'id' | 'entry'>, snapshot: Snapshot, isSettled?: boolean): void;
  /** What is kept of a vault, oldest first; empty for an unknown one. Holds until something changes. */
  columns(vault: number): SeriesColumns;
  /** Forget samples before a time, Unix seconds. */
  forgetBefore(t: number): void;
  drop(vault: number): void;
}

/**
 * Create an empty book. Of a vault it keeps every hour of 32 days and the last sample of each day up to 92 days before
 * the newest one, in at most 25 KB.
 *
 * @example
 * const book = createSeriesBook();
 * book.add(vault, snapshot);
 * book.columns(vault.id).sharePrice;
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
    add: ({ id, entry }, snapshot, isSettled) =>
      columnsOf(id).put(
        snapshot.t,
        sharePriceOf(entry, snapshot),
        snapshot.priceUsd > 0 ? tvlUsdOf(entry, snapshot) : NaN,
        snapshot.origin,
        isSettled,
      ),
    columns: (vault) => (kept.get(vault) ?? empty).view(),
    forgetBefore: (t) => {
      for (const columns of kept.values()) columns.forgetBefore(t);
    },
    drop: (vault) => void kept.delete(vault),
  };
}

const empty = createGrowingColumns();
