import type { DroppedRecord, SummaryRow } from '../ports.js';
import { createChainIndex, type ChainIndex } from '../ranking/chain-index.js';
import { createPace } from '../pace.js';

/** Numbers of a chain that came in. */
export interface ChainUpdate {
  readonly version: bigint;
  /** Time of the newest snapshot behind them, Unix seconds. */
  readonly newestSnapshot: number;
  readonly rows: readonly SummaryRow[];
  readonly dropped: readonly DroppedRecord[];
}

/** What is served of a chain: all of it belongs together. */
export interface ServedState {
  readonly index: ChainIndex;
  readonly version: bigint;
  readonly newestSnapshot: number;
  readonly dropped: readonly DroppedRecord[];
}

/** Holds what is served of one chain. */
export interface ServedChain {
  /** `undefined` before the first update. */
  current(): ServedState | undefined;
  /** Resolves with the first state, or never. */
  firstState(): Promise<void>;
  /** Take changed rows over; resolves once they are served. Updates are taken in their order. */
  update(update: ChainUpdate): Promise<void>;
  /** Take over what is then all there is. */
  replace(update: ChainUpdate): Promise<void>;
}

/** Begin to serve a chain; the index is rebuilt beside the one that answers, and swapped in whole. */
export function createServedChain(): ServedChain {
  let rows = new Map<number, SummaryRow>();
  let state: ServedState | undefined;
  let queue: Promise<void> = Promise.resolve();
  let onFirst: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (onFirst = resolve));

  const take = (update: ChainUpdate, isAll: boolean): Promise<void> => {
    const { version, newestSnapshot, rows: changed, dropped } = update;
    const work = async () => {
      if (isAll) rows = new Map();
      // Nothing else of what the sampler measured: its reports are many times as large.
      for (const { vault, summary, assetPriceUsd } of changed)
        rows.set(vault, { vault, summary, assetPriceUsd });
      const isSame = state !== undefined && !isAll && changed.length === 0;
      const index = isSame ? state!.index : await createChainIndex(rows.values(), createPace());
      state = { index, version, newestSnapshot, dropped };
      onFirst();
    };
    const taken = queue.then(work);
    queue = taken.catch(() => undefined);
    return taken;
  };

  return {
    current: () => state,
    firstState: () => first,
    update: (update) => take(update, false),
    replace: (update) => take(update, true),
  };
}
