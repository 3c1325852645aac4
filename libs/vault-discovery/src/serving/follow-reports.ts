import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggerPort, RejectedRecord, ReportStore } from '../ports.js';
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
  readonly intervalMs: number;
  readonly logger: LoggerPort;
  readonly signal: AbortSignal;
  readonly onState: (chainId: number, state: ServedState) => void;
}

/**
 * Follow the numbers that the sampler stores, until the signal. While the store is down the last ranking stays and
 * grows old.
 */
export async function followReports(
  chainIds: readonly number[],
  { store, intervalMs, logger, signal, onState }: FollowOptions,
): Promise<void> {
  const versions = new Map<number, bigint>();

  const catchUp = async (chainId: number): Promise<void> => {
    const progress = await store.progress(chainId);
    if (progress === undefined || progress.version === versions.get(chainId)) return;
    const index = createChainIndex(await store.summaries(chainId));
    const rejected = await store.rejected(chainId);
    if (signal.aborted) return;
    versions.set(chainId, progress.version);
    onState(chainId, { ...progress, index, rejected });
  };

  let isFailing = false;
  while (!signal.aborted) {
    try {
      for (const chainId of chainIds) if (!signal.aborted) await catchUp(chainId);
      if (isFailing) logger.info({}, 'reading the numbers of the sampler works again');
      isFailing = false;
    } catch (err) {
      if (signal.aborted) return;
      // One line for each outage, not one for each interval.
      if (!isFailing)
        logger.warn({ err }, 'reading the numbers of the sampler failed: the last ranking stays');
      isFailing = true;
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}
