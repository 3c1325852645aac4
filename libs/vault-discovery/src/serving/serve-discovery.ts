import type { ActiveChain, ActiveChains } from '@yield-vault/chains';
import {
  DataStaleError,
  UnknownVaultError,
  vaultIdOf,
  type DiscoverRequest,
  type DiscoverResponse,
  type LoggerPort,
  type VaultReport,
} from '@yield-vault/protocol';
import type { DiscoveryOptions } from '../discovery-schema.js';
import type { ReportStore, SnapshotStore } from '../ports.js';
import type { Freshness, VaultDiscovery } from '../types.js';
import { buildHistory, historySpan } from './build-history.js';
import { type ChainIndex, type IndexedVault, roundScores } from './chain-index.js';
import { followReports, type ServedState } from './follow-reports.js';
import { vaultPage } from './vault-page.js';

/** A chain counts as critical from this many times the age at which it counts as stale. */
const criticalAges = 4;
const retryAfterSeconds = 5;
const defaultFollowIntervalSeconds = 5;

export interface ServeDiscoveryDeps {
  readonly chains: ActiveChains;
  readonly stores: {
    readonly snapshots: Pick<SnapshotStore, 'readSeries'>;
    readonly reports: Pick<ReportStore, 'progress' | 'summaries' | 'rejected' | 'report'>;
  };
  readonly options: Pick<DiscoveryOptions, 'maxRankingAgeSeconds' | 'followIntervalSeconds'>;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
  readonly logger: LoggerPort;
}

/** Serve discovery from memory. Reports come from the store. */
export function serveDiscovery(deps: ServeDiscoveryDeps): VaultDiscovery {
  const { chains, stores, options, now, logger } = deps;
  const states = new Map<number, ServedState>();

  const isEveryChainRanked = () => chains.all.every(({ chainId }) => states.has(chainId));
  /** Until the next ranking. The server's validation cache returns the same frozen object for an equal request. */
  const responses = new WeakMap<
    DiscoverRequest,
    { readonly index: ChainIndex; readonly response: DiscoverResponse }
  >();
  const stateOf = (key: string): ServedState | undefined => {
    const chain = chains.all.find((each) => each.key === key);
    return chain && states.get(chain.chainId);
  };
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
    for (const { index } of states.values()) {
      const vault = index.find(vaultId);
      if (vault) return vault;
    }
    return undefined;
  };
  /** Before every chain is ranked, a missing vault may only be missing from memory. */
  const whenRanked = <T>(found: T | undefined): T | undefined => {
    if (found !== undefined || isEveryChainRanked()) return found;
    throw new DataStaleError({
      detail: 'The vaults of this deployment are not ranked yet.',
      retryAfterSeconds,
    });
  };
  const requireVault = (vaultId: string): IndexedVault => {
    const vault = whenRanked(find(vaultId));
    if (vault) return vault;
    throw new UnknownVaultError({
      detail: `No vault of this deployment has the id ${vaultId}.`,
      details: { vaultId },
    });
  };
  const ageOf = (state: ServedState | undefined) => now() / 1_000 - (state?.newestSnapshot ?? -Infinity);

  return {
    job: followReports({
      store: stores.reports,
      chainIds: chains.all.map(({ chainId }) => chainId),
      intervalMs: (options.followIntervalSeconds ?? defaultFollowIntervalSeconds) * 1_000,
      onState: (chainId, state) => {
        const wasRanked = isEveryChainRanked();
        states.set(chainId, state);
        if (!wasRanked && isEveryChainRanked()) logger.info({}, 'every active chain is ranked');
      },
    }),
    isRanked: (key) => (stateOf(key)?.index.listedCount ?? 0) > 0,
    discover: (query) => {
      const { key, chainId } = chains.require(query.chain);
      const { index } = requireState(key);
      const known = responses.get(query);
      if (known?.index === index) return known.response;
      const vaults = index.select(query);
      const response = { chain: key, chainId, strategy: query.strategy, count: vaults.length, vaults };
      if (Object.isFrozen(query)) responses.set(query, { index, response });
      return response;
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
      // The sampler has removed it; the next poll of the store removes it from memory, too.
      if (report === undefined)
        throw new UnknownVaultError({ detail: `The vault ${vaultId} left the catalogue.` });
      return toResponse(report, now());
    },
    page: ({ chain, ...query }) => {
      const keys = chain === undefined ? chains.keys : [chains.require(chain).key];
      return vaultPage(
        keys.map((key) => requireState(key).index),
        query,
      );
    },
    find: (vaultId) => whenRanked(find(vaultId)),
    byAddress: (chainId, address) => whenRanked(states.get(chainId)?.index.find(vaultIdOf(chainId, address))),
    list: (key) => {
      const vaults = stateOf(key)?.index.all ?? [];
      return whenRanked(vaults.length > 0 ? vaults : undefined) ?? [];
    },
    best: (key, asset, strategy) => stateOf(key)?.index.best(asset, strategy) ?? [],
    isStale: (key) => ageOf(stateOf(key)) > options.maxRankingAgeSeconds,
    freshness: () => freshnessOf(chains.all, states, now() / 1_000, options.maxRankingAgeSeconds),
    rejected: () =>
      chains.all.flatMap(({ key, chainId }) =>
        (states.get(chainId)?.rejected ?? []).map(({ address, name, reason }) => ({
          chain: key,
          address,
          name,
          reason,
        })),
      ),
    chainStates: () =>
      chains.all.map(({ key, chainId }) => {
        const state = states.get(chainId);
        return {
          chain: key,
          vaults: state?.index.all.length ?? 0,
          listed: state?.index.listedCount ?? 0,
          rejected: state?.rejected.length ?? 0,
          newestSnapshot: state?.newestSnapshot,
        };
      }),
  };
}

/** Add the age of a stored report, and round its scores for the wire. */
function toResponse(report: VaultReport, nowMs: number): VaultReport {
  const { latestSnapshotAt } = report.data;
  const ageSeconds =
    latestSnapshotAt === null
      ? null
      : Math.max(0, Math.floor((nowMs - Date.parse(latestSnapshotAt)) / 1_000));
  return {
    ...report,
    compositeScores: roundScores(report.compositeScores),
    data: { ...report.data, ageSeconds },
  };
}

function freshnessOf(
  chains: readonly ActiveChain[],
  states: ReadonlyMap<number, ServedState>,
  nowSeconds: number,
  limit: number,
): Freshness {
  const oldest = Math.min(...chains.map(({ chainId }) => states.get(chainId)?.newestSnapshot ?? -Infinity));
  const age = nowSeconds - oldest;
  return {
    snapshotFreshnessStatus: age <= limit ? 'healthy' : age <= criticalAges * limit ? 'stale' : 'critical',
    latestSnapshotAt: oldest === -Infinity ? null : new Date(oldest * 1_000).toISOString(),
  };
}
