import type { ActiveChain, ActiveChains } from '@yield-vault/chains';
import { DataStaleError, UnknownVaultError, vaultIdOf } from '@yield-vault/protocol';
import { atQuestionTime } from '../explain/at-question-time.js';
import { vaultPage } from '../explain/vault-page.js';
import { buildHistory, historySpan } from '../history/build-history.js';
import type { DroppedRecord, LoggerPort, ReportStore, SnapshotStore } from '../ports.js';
import type { IndexedVault } from '../ranking/to-indexed-vault.js';
import type { DiscoveryOptions, DroppedVault, Freshness, VaultDiscovery } from '../types.js';
import type { ChainReports, VaultSampler } from '../vault-sampler.js';
import { followReports } from './follow-reports.js';
import { createServedChain, type ServedChain, type ServedState } from './served-chain.js';

const criticalAges = 4;
const retryAfterSeconds = 5;
const defaultFollowIntervalSeconds = 5;

/** What the sampler of this process tells. */
export interface SamplerEvents {
  readonly onReports: (reports: ChainReports) => Promise<void>;
  /** This process samples (true), or no longer does (false). */
  readonly onLead: (isLeader: boolean) => void;
  /** Another process samples. */
  readonly onOther: () => void;
  /** An attempt to sample a chain failed. */
  readonly onFailure: (chainId: number) => void;
}

export interface ServeDiscoveryDeps {
  readonly chains: ActiveChains;
  readonly stores: {
    readonly snapshots: Pick<SnapshotStore, 'readSeries'>;
    readonly reports: ReportStore;
  };
  /** Left out: another process samples. */
  readonly samplerOf?: (events: SamplerEvents) => VaultSampler;
  readonly options: Pick<DiscoveryOptions, 'maxRankingAgeSeconds' | 'followIntervalSeconds'>;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
  readonly logger: LoggerPort;
}

interface Served {
  readonly chain: ActiveChain;
  readonly served: ServedChain;
}

/** Serve discovery from memory: what the sampler of this process measures, or what the store has of another one. */
export function serveDiscovery(deps: ServeDiscoveryDeps): VaultDiscovery {
  const { chains, stores, options, now } = deps;
  const all: Served[] = chains.all.map((chain) => ({ chain, served: createServedChain() }));
  const byKey = new Map(all.map((each) => [each.chain.key, each]));
  const byId = new Map(all.map((each) => [each.chain.chainId, each]));
  const feed = createFeed(deps, all);

  const stateOf = (key: string): ServedState | undefined => byKey.get(key)?.served.current();
  const requireState = (key: string): ServedState => {
    const state = stateOf(key);
    if (state) return state;
    throw new DataStaleError({
      detail: `The vaults of ${key} are not ranked yet.`,
      details: { chain: key },
      retryAfterSeconds,
    });
  };
  const find = (vaultId: string): IndexedVault | undefined => {
    for (const { served } of all) {
      const vault = served.current()?.index.find(vaultId);
      if (vault) return vault;
    }
    return undefined;
  };
  const requireVault = (vaultId: string): IndexedVault => {
    const vault = find(vaultId);
    if (vault) return vault;
    throw new UnknownVaultError({
      detail: `No vault of this deployment has the id ${vaultId}.`,
      details: { vaultId },
    });
  };
  const ageOf = (state: ServedState | undefined) => now() / 1_000 - (state?.newestSnapshot ?? -Infinity);

  return {
    start: async () => {
      feed.start();
      await Promise.race([Promise.all(all.map(({ served }) => served.firstState())), feed.stopped]);
    },
    stop: () => feed.stop(),
    isReady: () => all.every(({ served }) => served.current() !== undefined),
    discover: (query) => {
      const { key, chainId } = chains.require(query.chain);
      const vaults = requireState(key).index.select(query);
      return { chain: key, chainId, strategy: query.strategy, count: vaults.length, vaults };
    },
    history: async (query) => {
      const { storeId, asset } = requireVault(query.vaultId);
      const seconds = now() / 1_000;
      const since = seconds - historySpan(query.period);
      for await (const { columns } of stores.snapshots.readSeries([storeId], since, () => asset.decimals))
        return buildHistory(columns, query, seconds);
      return buildHistory(undefined, query, seconds);
    },
    explain: async (vaultId) => {
      requireVault(vaultId);
      const report = await stores.reports.report(vaultId);
      // Taken away since: the next look at the store will tell.
      if (report === undefined) throw new UnknownVaultError({ detail: `The vault ${vaultId} is gone.` });
      return atQuestionTime(report, now());
    },
    page: ({ chain, ...query }) => {
      const keys = chain === undefined ? chains.keys : [chains.require(chain).key];
      return vaultPage(
        keys.map((key) => requireState(key).index),
        query,
      );
    },
    find,
    byAddress: (chainId, address) =>
      byId.get(chainId)?.served.current()?.index.find(vaultIdOf(chainId, address)),
    list: (key) => stateOf(key)?.index.all ?? [],
    best: (key, asset, strategy) => stateOf(key)?.index.best(asset, strategy) ?? [],
    isStale: (key) => ageOf(stateOf(key)) > options.maxRankingAgeSeconds,
    freshness: () => freshnessOf(all, ageOf, options.maxRankingAgeSeconds),
    dropped: () =>
      all.flatMap(({ chain, served }) =>
        (served.current()?.dropped ?? []).map((record) => toDroppedVault(chain.key, record)),
      ),
    isSampling: () => feed.isSampling(),
    chainStates: () =>
      all.map(({ chain, served }) => {
        const state = served.current();
        return {
          chain: chain.key,
          vaults: state?.index.all.length ?? 0,
          listed: state?.index.listedCount ?? 0,
          dropped: state?.dropped.length ?? 0,
          newestSnapshot: state?.newestSnapshot,
          samplingFailures: feed.failuresOf(chain.chainId),
        };
      }),
  };
}

/** What fills the served chains: the sampler of this process once it is elected, else the store. */
function createFeed({ stores, samplerOf, options, logger }: ServeDiscoveryDeps, all: readonly Served[]) {
  const intervalMs = (options.followIntervalSeconds ?? defaultFollowIntervalSeconds) * 1_000;
  const followed = all.map(({ chain: { key, chainId }, served }) => ({ key, chainId, served }));
  const servedOf = new Map(followed.map(({ chainId, served }) => [chainId, served]));
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const failures = new Map<number, number>();
  let following: { readonly end: AbortController; readonly done: Promise<void> } | undefined;

  const follow = () => {
    if (following || stopping.signal.aborted) return;
    const end = new AbortController();
    const { signal } = end;
    following = { end, done: followReports(followed, { store: stores.reports, intervalMs, logger, signal }) };
  };
  const unfollow = async () => {
    const { end, done } = following ?? {};
    following = undefined;
    end?.abort();
    await done;
  };

  const sampler = samplerOf?.({
    onReports: ({ chainId, reports: rows, ...rest }) =>
      servedOf.get(chainId)?.replace({ ...rest, rows }) ?? Promise.resolve(),
    // Who leads serves what it measured, never what the store had before: a local chain may have begun anew.
    onLead: (isLeader) => (isLeader ? void unfollow() : follow()),
    onOther: follow,
    onFailure: (chainId) => failures.set(chainId, (failures.get(chainId) ?? 0) + 1),
  });

  return {
    stopped,
    isSampling: () => sampler?.isLeader() ?? false,
    failuresOf: (chainId: number) => failures.get(chainId) ?? 0,
    start: () => {
      if (sampler) sampler.start();
      else follow();
    },
    stop: async () => {
      stopping.abort();
      await sampler?.stop();
      await unfollow();
    },
  };
}

function freshnessOf(
  all: readonly Served[],
  ageOf: (state: ServedState | undefined) => number,
  limit: number,
): Freshness {
  const states = all.map(({ served }) => served.current());
  const worstAge = Math.max(...states.map(ageOf));
  const oldest = Math.min(...states.map((state) => state?.newestSnapshot ?? -Infinity));
  return {
    snapshotFreshnessStatus:
      worstAge <= limit ? 'healthy' : worstAge <= criticalAges * limit ? 'stale' : 'critical',
    latestSnapshotAt: oldest === -Infinity ? null : new Date(oldest * 1_000).toISOString(),
  };
}

const toDroppedVault = (chain: string, { address, name, reason }: DroppedRecord): DroppedVault => ({
  ...{ chain, address, name, reason },
});
