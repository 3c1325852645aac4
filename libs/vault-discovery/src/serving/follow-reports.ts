import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggerPort, ReportStore } from '../ports.js';
import type { ServedChain } from './served-chain.js';

export interface FollowedChain {
  readonly key: string;
  readonly chainId: number;
  readonly served: ServedChain;
}

export interface FollowOptions {
  readonly store: ReportStore;
  readonly intervalMs: number;
  readonly logger: LoggerPort;
  readonly signal: AbortSignal;
}

/**
 * Serve what another process computed, until the signal. While the store does not answer, what is served stays
 * and gets old.
 */
export async function followReports(
  chains: readonly FollowedChain[],
  { store, intervalMs, logger, signal }: FollowOptions,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      for (const chain of chains) if (!signal.aborted) await catchUp(chain, store, signal);
      if (isFailing) logger.info({}, 'the numbers of the sampler are read again');
      isFailing = false;
    } catch (err) {
      if (signal.aborted) return;
      // Once for each outage: a line at every interval would drown the rest.
      if (!isFailing)
        logger.warn({ err }, 'the numbers of the sampler cannot be read: the last ranking stays');
      isFailing = true;
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Take over what changed since the version that is served. */
async function catchUp(
  { chainId, served }: FollowedChain,
  store: ReportStore,
  signal: AbortSignal,
): Promise<void> {
  const progress = await store.progress(chainId);
  if (progress === undefined) return;
  const have = served.current()?.version;
  if (progress.version === have) return;
  // A smaller version: the chain was discarded and began anew. Otherwise reports may have been taken away.
  const isAnew = have === undefined || progress.version < have || progress.replacedAt > have;
  const [rows, dropped] = [
    await store.changedSince(chainId, isAnew ? 0n : have),
    await store.dropped(chainId),
  ];
  // Meanwhile this process may have become the one that samples: what it measured is newer.
  if (signal.aborted) return;
  await served[isAnew ? 'replace' : 'update']({ ...progress, rows, dropped });
}
