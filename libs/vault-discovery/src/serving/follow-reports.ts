import type { Job } from '@yield-vault/database';
import type { RejectedRecord, ReportStore } from '../ports.js';
import { type ChainIndex, createChainIndex } from './chain-index.js';

/** The reports of a chain that are served together. */
export interface ServedState {
  readonly index: ChainIndex;
  /** Of the report store. */
  readonly version: bigint;
  /** Time of the newest snapshot behind the index, Unix seconds. */
  readonly newestSnapshot: number;
  readonly rejected: readonly RejectedRecord[];
}

export interface FollowOptions {
  readonly store: Pick<ReportStore, 'progress' | 'summaries' | 'rejected'>;
  readonly chainIds: readonly number[];
  readonly intervalMs: number;
  readonly onState: (chainId: number, state: ServedState) => void;
}

/** The job that follows the numbers of the sampler. While the store is down the last ranking stays and grows old. */
export function followReports({ store, chainIds, intervalMs, onState }: FollowOptions): Job {
  const versions = new Map<number, bigint>();

  const catchUp = async (chainId: number): Promise<void> => {
    const progress = await store.progress(chainId);
    if (progress === undefined || progress.version === versions.get(chainId)) return;
    const index = createChainIndex(await store.summaries(chainId));
    const rejected = await store.rejected(chainId);
    versions.set(chainId, progress.version);
    onState(chainId, { ...progress, index, rejected });
  };

  return {
    name: 'ranking',
    intervalMs,
    run: async () => {
      const runs = await Promise.allSettled(chainIds.map(catchUp));
      for (const run of runs) if (run.status === 'rejected') throw run.reason;
      return 'done';
    },
  };
}
