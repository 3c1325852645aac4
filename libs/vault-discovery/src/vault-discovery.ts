import type { ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import { DataStaleError, UnknownVaultError, vaultIdOf } from '@yield-vault/protocol';
import { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
import { buildHistory, historySpan } from './build-history.js';
import type { LoggerPort } from './ports.js';
import { selectCandidates } from './ranking/select-candidates.js';
import { createChainTracker, type ChainTracker } from './sampling/chain-tracker.js';
import type { DiscoveryOptions, Freshness, RegistryEntry, VaultDiscovery } from './types.js';

const criticalAges = 4;
const retryAfterSeconds = 5;
const silent: LoggerPort = { info: () => undefined, warn: () => undefined };

export interface VaultDiscoveryDeps {
  readonly chains: ActiveChains;
  readonly database: DatabaseHandle;
  readonly registry: readonly RegistryEntry[];
  readonly options: DiscoveryOptions;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
  readonly logger?: LoggerPort;
}

/**
 * Create the discovery of a deployment. It samples the chains in this process once started, and answers from
 * memory.
 *
 * @example
 * const discovery = createVaultDiscovery({ chains, database, registry: parseRegistry(json), options });
 * await discovery.start();
 * discovery.discover({ chain: 'base', strategy: 'balanced', limit: 5 });
 */
export function createVaultDiscovery(deps: VaultDiscoveryDeps): VaultDiscovery {
  const { chains, database, registry, options, now = Date.now, logger = silent } = deps;
  const store = createDatabaseSnapshotStore(database);
  const trackers = new Map<string, ChainTracker>(
    chains.all.map((chain) => [
      chain.key,
      createChainTracker({ chain, registry, store, options, now, logger }),
    ]),
  );
  const all = [...trackers.values()];

  const list = (chain: string) => trackers.get(chain)?.ranking()?.all ?? [];
  const find = (vaultId: string) => {
    for (const tracker of all) {
      const vault = tracker.ranking()?.byId.get(vaultId);
      if (vault) return vault;
    }
    return undefined;
  };
  const age = (tracker: ChainTracker) => now() / 1_000 - (tracker.newestSnapshot() ?? -Infinity);

  const freshness = (): Freshness => {
    const newest = all.map((tracker) => tracker.newestSnapshot());
    const worstAge = Math.max(...all.map(age));
    const limit = options.maxRankingAgeSeconds;
    return {
      snapshotFreshnessStatus:
        worstAge <= limit ? 'healthy' : worstAge <= criticalAges * limit ? 'stale' : 'critical',
      latestSnapshotAt: newest.some((t) => t === undefined)
        ? null
        : new Date(Math.min(...newest.map((t) => t ?? 0)) * 1_000).toISOString(),
    };
  };

  return {
    start: async () => {
      await Promise.all(all.map((tracker) => tracker.start()));
    },
    stop: async () => {
      await Promise.all(all.map((tracker) => tracker.stop()));
    },
    isReady: () => all.every((tracker) => tracker.ranking() !== undefined),
    discover: (query) => {
      const { key, chainId } = chains.require(query.chain);
      const ranking = trackers.get(key)?.ranking();
      if (!ranking)
        throw new DataStaleError({
          detail: `The vaults of ${key} are not ranked yet.`,
          details: { chain: key },
          retryAfterSeconds,
        });
      const vaults = selectCandidates(ranking, query);
      return { chain: key, chainId, strategy: query.strategy, count: vaults.length, vaults };
    },
    history: async (query) => {
      const vault = all.map((tracker) => tracker.tracked(query.vaultId)).find(Boolean);
      if (!vault)
        throw new UnknownVaultError({
          detail: `No vault of this deployment has the id ${query.vaultId}.`,
          details: { vaultId: query.vaultId },
        });
      const seconds = now() / 1_000;
      const snapshots = await store.read([vault.id], seconds - historySpan(query.period));
      return buildHistory(vault, snapshots, query, seconds);
    },
    find,
    byAddress: (chainId, address) => find(vaultIdOf(chainId, address)),
    list,
    best: (chain, asset, strategy) =>
      (trackers.get(chain)?.ranking()?.byStrategy[strategy] ?? []).filter(
        (vault) => vault.asset.symbol.toLowerCase() === asset.toLowerCase(),
      ),
    isStale: (chain) => {
      const tracker = trackers.get(chain);
      return !tracker || age(tracker) > options.maxRankingAgeSeconds;
    },
    freshness,
    dropped: () => all.flatMap((tracker) => tracker.dropped()),
  };
}
