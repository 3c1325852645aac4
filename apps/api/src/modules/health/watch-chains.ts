import type { ChainEvents } from '@yield-vault/chain-events';
import {
  createChainProbe,
  lacksArchive,
  lacksDeposit,
  type ActiveChain,
  type ActiveChains,
  type CheckLog,
  type ContractCheck,
  type UpstreamObserver,
} from '@yield-vault/chains';
import type { ChainProbe, ProbeChain } from './create-health-monitor.js';

// A bundler that is silent for so long, times the bundlers of all chains, is asked: 1,728 questions a day for all.
const silenceMs = 50_000;
// In units of that time: 144 reads of deposits a day without traffic, and 72 requests about old state.
const [depositUnits, archiveUnits] = [12, 72];
// Longer than a standby needs to follow.
const unfollowedMs = 60_000;

/** The last call of each upstream, as all calls of this process saw it. */
export type LastCalls = Map<string, { readonly at: number; readonly isUp: boolean }>;

/** Remember the last call of each upstream. */
export function rememberCalls(calls: LastCalls, { onCall, onBreaker }: UpstreamObserver): UpstreamObserver {
  return {
    onBreaker,
    onCall(dependency, seconds, isUp) {
      calls.set(dependency, { at: performance.now(), isUp });
      onCall(dependency, seconds, isUp);
    },
  };
}

export interface WatchedParts {
  /** The chains themselves. */
  readonly chains: Pick<ActiveChains, 'require' | 'all'>;
  /** The chains as wallets use them. */
  readonly wallets: Pick<ActiveChains, 'find'>;
  readonly events: Pick<ChainEvents, 'newestBlock'>;
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
  const { chains, wallets, events, contracts, lastCalls, log, pastSeconds } = parts;
  const bundlers = chains.all.reduce((sum, { bundlerUrls }) => sum + bundlerUrls.length, 0);
  const unitMs = silenceMs * Math.max(1, bundlers);
  const followed = new Map<string, { at: number; block?: bigint }>();
  const since = (at = -Infinity) => performance.now() - at;
  const askedAt = new Map<string, number>();
  const probeChain = createChainProbe(log, (dependency) => {
    const [part, key = ''] = dependency.split(':');
    const call = lastCalls.get(`wallet-${dependency}`) ?? lastCalls.get(dependency);
    const isFollowed = part === 'rpc' && followed.get(key)?.block !== undefined;
    if (call?.isUp && (isFollowed || since(call.at) < unitMs)) return true;
    askedAt.set(key, performance.now());
    return false;
  });
  const isArchiveMissing = paced(({ key }) => lacksArchive(chains.require(key), pastSeconds));
  const isDepositMissing = paced(lacksDeposit);

  async function readFollower(key: string): Promise<boolean> {
    const { chainId } = chains.require(key);
    // Without the database nobody knows.
    const block = await events.newestBlock(chainId).catch(() => 'unknown' as const);
    const last = followed.get(key);
    if (block !== undefined) followed.set(key, { at: performance.now(), ...(block !== 'unknown' && { block }) });
    else followed.set(key, { at: last?.at ?? -Infinity });
    return since(followed.get(key)?.at) > unfollowedMs;
  }

  return async (key) => {
    const isUnfollowed = await readFollower(key);
    const wallet = wallets.find(key);
    // The managed fork of the chain is not configured: probe the chain itself, without a bundler.
    const chain = wallet ?? { ...chains.require(key), bundlers: [] };
    const probe = await probeChain(chain);
    const follower = isUnfollowed ? (['follower'] as const) : [];
    if (probe.rpc !== 'ok') return { ...probe, missing: follower };
    const paysItself = wallet?.relayMode === 'chain' && wallet.paymaster.kind === 'own';
    // While the bundler serves others, the deposit changes, and the question to the bundler is saved.
    const units = since(askedAt.get(key)) > 2 * unitMs ? 1 : depositUnits;
    // If the node fails meanwhile, the next probe reports it.
    const [faults, lacksState, isEmpty] = await Promise.all([
      contracts.faults(key).catch(() => []),
      isArchiveMissing(chain, archiveUnits * unitMs),
      paysItself && isDepositMissing(wallet, units * unitMs),
    ]);
    const missing: NonNullable<ChainProbe['missing']> = [
      ...(faults.length > 0 ? (['contracts'] as const) : []),
      ...(lacksState ? (['archive'] as const) : []),
      ...(isEmpty ? (['deposit'] as const) : []),
      ...follower,
    ];
    const block = followed.get(key)?.block;
    return { ...probe, blockNumber: block === undefined ? probe.blockNumber : Number(block), missing };
  };
}

/** Repeat a check of a chain after a pause, and twelve times sooner unless it passed. A failure keeps the last result. */
function paced(isMissing: (chain: ActiveChain) => Promise<boolean>) {
  const results = new Map<string, { readonly at: number; readonly found: boolean | undefined }>();
  return async (chain: ActiveChain, pauseMs: number): Promise<boolean> => {
    const { key } = chain;
    const last = results.get(key);
    const dueMs = last?.found === false ? pauseMs : pauseMs / 12;
    if (last && performance.now() - last.at < dueMs) return last.found === true;
    results.set(key, { at: performance.now(), found: last?.found });
    const found = await isMissing(chain).catch(() => last?.found);
    results.set(key, { at: performance.now(), found });
    return found === true;
  };
}
