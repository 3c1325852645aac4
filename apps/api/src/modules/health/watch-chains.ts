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
  /** Read what is wrong with our paymaster: `paymaster`, `deposit` or nothing. */
  readonly readPaymasterFault: (chain: Pick<ActiveChain, 'chainId'>) => Promise<string | null>;
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
  const { chains, wallets, events, readPaymasterFault, contracts, lastCalls, log, pastSeconds } = parts;
  const bundlers = chains.all.reduce((sum, { bundlerUrls }) => sum + bundlerUrls.length, 0);
  const unitMs = silenceMs * Math.max(1, bundlers);
  const followed = new Map<string, { readonly at: number; readonly block: bigint | undefined }>();
  const archives = new Map<string, { readonly at: number; readonly isMissing: boolean | undefined }>();
  const since = (at = -Infinity) => performance.now() - at;
  const probeChain = createChainProbe(log, (dependency) => {
    const [part, key = ''] = dependency.split(':');
    const call = lastCalls.get(`wallet-${dependency}`) ?? lastCalls.get(dependency);
    const isFollowed = part === 'rpc' && followed.get(key)?.block !== undefined;
    return call?.isUp === true && (isFollowed || since(call.at) < unitMs);
  });
  /** Run the check once per pause, or twelve times until it passes. A check that throws keeps the last result. */
  const lacksPast = async (chain: ActiveChain): Promise<boolean> => {
    const { at, isMissing } = archives.get(chain.key) ?? {};
    if (since(at) < (archiveUnits * unitMs) / (isMissing === false ? 1 : 12)) return isMissing === true;
    const found = await lacksArchive(chain, pastSeconds).catch(() => isMissing);
    archives.set(chain.key, { at: performance.now(), isMissing: found });
    return found === true;
  };

  return async (key) => {
    const chain = chains.require(key);
    const wallet = wallets.find(key);
    const { at, block: last } = followed.get(key) ?? {};
    // While the database is down, keep the last block.
    const block = await withTimeout(events.newestBlock(chain.chainId), databaseDeadlineMs, last);
    const followedAt = block === undefined ? at : performance.now();
    followed.set(key, { at: followedAt ?? -Infinity, block });
    // Without its managed fork, probe the real chain, without a bundler.
    const probe = await probeChain(wallet ?? { ...chain, bundlers: [] });
    const hasOwnPaymaster = wallet?.relayMode === 'chain' && wallet.paymaster.kind === 'own';
    const isUp = probe.rpc === 'ok';
    const fault =
      hasOwnPaymaster && (await withTimeout(readPaymasterFault(wallet), databaseDeadlineMs, null));
    const lacks = [
      // If the node fails meanwhile, the next probe reports it.
      isUp && (await contracts.faults(key).catch(() => [])).length > 0 && 'contracts',
      isUp && (await lacksPast(chain)) && 'archive',
      fault,
      since(followedAt) > unfollowedMs && 'follower',
    ];
    const missing = lacks.filter((part) => typeof part === 'string');
    const isKnown = isUp && block !== undefined;
    return { ...probe, blockNumber: isKnown ? Number(block) : probe.blockNumber, missing };
  };
}
