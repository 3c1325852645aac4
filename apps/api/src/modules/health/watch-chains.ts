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

// A bundler that is silent for so long, times the bundlers of all chains, is asked: 1,728 questions a day for all.
const silenceMs = 50_000;
// In units of that time: 72 requests a day.
const archiveUnits = 72;
// Longer than a standby needs to follow.
const unfollowedMs = 60_000;
const databaseDeadlineMs = 2_000;

/** The last call of each upstream, as all calls of this process saw it. */
export type LastCalls = Map<string, { readonly at: number; readonly isUp: boolean }>;

/** Remember the last call of each upstream. */
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
  /** The chains themselves. */
  readonly chains: Pick<ActiveChains, 'require' | 'all'>;
  /** The chains as wallets use them. */
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
 * Make the probe of the chains. It asks node and bundler only when nothing else shows that they respond: a call of this
 * process that succeeded lately, or for the node a new block of the process that follows the chain.
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
    // Without the database nobody knows.
    const read = events.newestBlock(chains.require(key).chainId);
    const block = await withTimeout(read, databaseDeadlineMs, last);
    const follower = { at: block === undefined ? at : performance.now(), block };
    followed.set(key, follower);
    const wallet = wallets.find(key);
    // The managed fork of the chain is not configured: probe the chain itself, without a bundler.
    const probe = await probeChain(wallet ?? { ...chains.require(key), bundlers: [] });
    const paysItself = wallet?.relayMode === 'chain' && wallet.paymaster.kind === 'own';
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
      deposit: paysItself && withTimeout(isDepositLow(wallet), databaseDeadlineMs, false),
      follower: since(follower.at) > unfollowedMs,
    };
    const found = await Promise.all(Object.values(checks).map((check) => Promise.resolve(check)));
    const missing = Object.keys(checks).filter((_, place) => found[place]);
    const isKnown = isUp && block !== undefined;
    return { ...probe, blockNumber: isKnown ? Number(block) : probe.blockNumber, missing };
  };
}

/** Repeat a check of a chain after a pause, and twelve times sooner unless it passed. A failure keeps the last result. */
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
