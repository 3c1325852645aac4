import type { ChainEvents } from '@yield-vault/chain-events';
import {
  createChainProbe,
  lacksArchive,
  type ActiveChain,
  type ActiveChains,
  type CheckLog,
  type ContractCheck,
  type UpstreamObserver,
} from '@yield-vault/chains';
import { withTimeout } from '@yield-vault/server';
import type { ProbeChain } from './create-health-monitor.js';

// A bundler without calls for this long, times the bundlers of all chains, is polled: 1,728 requests a day for all.
const silenceMs = 50_000;
// An archive check follows after so many of these pauses: with one bundler a chain, 72 requests a day for all.
const archiveUnits = 72;
// Longer than a standby worker needs to take over.
const unfollowedMs = 60_000;
const databaseDeadlineMs = 2_000;

/** The last call of this process to each upstream. */
export type LastCalls = Map<string, { readonly at: number; readonly isUp: boolean }>;

/** Record the last call to each upstream. */
export function rememberCalls(calls: LastCalls, observer: UpstreamObserver): UpstreamObserver {
  return {
    ...observer,
    onCall(dependency, seconds, isUp) {
      calls.set(dependency, { at: performance.now(), isUp });
      observer.onCall(dependency, seconds, isUp);
    },
  };
}

export interface WatchedParts {
  /** The real chains. */
  readonly chains: Pick<ActiveChains, 'require' | 'all'>;
  /** The chains on which wallets act: the same, or their managed forks. */
  readonly wallets: Pick<ActiveChains, 'find'>;
  readonly events: Pick<ChainEvents, 'newestBlock'>;
  readonly isDepositLow: (chain: Pick<ActiveChain, 'chainId'>) => Promise<boolean>;
  readonly contracts: Pick<ContractCheck, 'faults'>;
  readonly lastCalls: LastCalls;
  readonly log: CheckLog;
  /** Age of the oldest state that sampling reads. */
  readonly pastSeconds: number;
}

/**
 * Create the probe of the chains. It polls node and bundler only when nothing else shows that they respond: a recent
 * successful call of this process, or for the node a new block of the process that follows the chain.
 */
export function watchChains(parts: WatchedParts): ProbeChain {
  const { chains, wallets, events, isDepositLow, contracts, lastCalls, log, pastSeconds } = parts;
  const bundlers = chains.all.reduce((sum, { bundlerUrls }) => sum + bundlerUrls.length, 0);
  const unitMs = silenceMs * Math.max(1, bundlers);
  const followed = new Map<string, { readonly at: number; readonly block: bigint | undefined }>();
  const since = (at = -Infinity) => performance.now() - at;
  const probeChain = createChainProbe(log, (dependency) => {
    const [part, key = ''] = dependency.split(':');
    const call = lastCalls.get(`wallet-${dependency}`) ?? lastCalls.get(dependency);
    const isFollowed = part === 'rpc' && followed.get(key)?.block !== undefined;
    return call?.isUp === true && (isFollowed || since(call.at) < unitMs);
  });
  const isArchiveMissing = paced((chain) => lacksArchive(chain, pastSeconds));

  return async (key) => {
    const { at = -Infinity, block: last } = followed.get(key) ?? {};
    // While the database is down, keep the last block.
    const read = events.newestBlock(chains.require(key).chainId);
    const block = await withTimeout(read, databaseDeadlineMs, last);
    const follower = { at: block === undefined ? at : performance.now(), block };
    followed.set(key, follower);
    const wallet = wallets.find(key);
    // Without its managed fork, probe the real chain, without a bundler.
    const probe = await probeChain(wallet ?? { ...chains.require(key), bundlers: [] });
    const hasOwnPaymaster = wallet?.relayMode === 'chain' && wallet.paymaster.kind === 'own';
    const isUp = probe.rpc === 'ok';
    // If the node fails meanwhile, the next probe reports it.
    const hasFaults = () =>
      contracts.faults(key).then(
        ({ length }) => length > 0,
        () => false,
      );
    const checks = {
      contracts: isUp && hasFaults(),
      archive: isUp && isArchiveMissing(chains.require(key), archiveUnits * unitMs),
      deposit: hasOwnPaymaster && withTimeout(isDepositLow(wallet), databaseDeadlineMs, false),
      follower: since(follower.at) > unfollowedMs,
    };
    const found = await Promise.all(Object.values(checks).map((check) => Promise.resolve(check)));
    const missing = Object.keys(checks).filter((_, place) => found[place]);
    const isKnown = isUp && block !== undefined;
    return { ...probe, blockNumber: isKnown ? Number(block) : probe.blockNumber, missing };
  };
}

/** Limit a check of a chain to one run per pause, or twelve until it passes. A check that throws keeps the last result. */
function paced(isMissing: (chain: ActiveChain) => Promise<boolean>) {
  const results = new Map<string, { readonly at: number; readonly found: boolean | undefined }>();
  return async (chain: ActiveChain, pauseMs: number): Promise<boolean> => {
    const { at = -Infinity, found } = results.get(chain.key) ?? {};
    if (performance.now() - at < (found === false ? pauseMs : pauseMs / 12)) return found === true;
    const result = await isMissing(chain).catch(() => found);
    results.set(chain.key, { at: performance.now(), found: result });
    return result === true;
  };
}
