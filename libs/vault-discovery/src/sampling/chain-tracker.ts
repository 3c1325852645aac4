import { setTimeout as sleep } from 'node:timers/promises';
import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { vaultIdOf } from '@yield-vault/protocol';
import { BlockNotFoundError } from 'viem';
import { readHeader, type Header } from '../chain/block-finder.js';
import { checkVaults } from '../catalogue/check-vaults.js';
import { probeVault } from '../chain/probe-vault.js';
import { planSample, sampleBlock, type TrackedVault } from '../chain/sample-block.js';
import { daySeconds, hourSeconds } from '../metrics/statistics.js';
import type { LoggerPort, Snapshot, SnapshotStore } from '../ports.js';
import { rankVaults, type ChainRanking } from '../ranking/chain-ranking.js';
import { measureVaults } from '../ranking/measure-vaults.js';
import type { DiscoveryOptions, DroppedVault, RegistryEntry } from '../types.js';
import { fillGaps } from './fill-gaps.js';

const firstRetryMs = 500;
const maxRetryMs = 15_000;
const defaultProbeIntervalSeconds = 600;
/** Drawdown looks back 90 days; the margin is for cleaning. */
const keptSeconds = 92 * daySeconds;

export interface ChainTrackerDeps {
  readonly chain: ActiveChain;
  readonly registry: readonly RegistryEntry[];
  readonly store: SnapshotStore;
  readonly options: DiscoveryOptions;
  readonly now: () => number;
  readonly logger: LoggerPort;
}

/** Keeps the ranking of one chain up to date. */
export interface ChainTracker {
  /** Begin; resolves when the chain is ranked, or when it is stopped before. */
  start(): Promise<void>;
  stop(): Promise<void>;
  ranking(): ChainRanking | undefined;
  /** Time of the newest snapshot, Unix seconds. */
  newestSnapshot(): number | undefined;
  tracked(vaultId: string): TrackedVault | undefined;
  dropped(): readonly DroppedVault[];
}

/** Track a chain: check its registry entries, read its past, then look at its head at every interval. */
export function createChainTracker(deps: ChainTrackerDeps): ChainTracker {
  const { chain, store, options, now, logger } = deps;
  const { rpc } = chain;
  const batchSize = options.multicallBatchSize;
  const entries = deps.registry.filter(({ chainId }) => chainId === chain.chainId);
  const stopping = new AbortController();

  let vaults: readonly TrackedVault[] | undefined;
  let dropped: readonly DroppedVault[] = [];
  let ranking: ChainRanking | undefined;
  let newest: number | undefined;
  let probedAt = -Infinity;
  const obstacles = new Map<number, string | undefined>();
  /** Snapshots by vault, then by hour, oldest first. */
  const series = new Map<number, Map<number, Snapshot>>();
  let running: Promise<void> | undefined;

  const refresh = async () => {
    vaults ??= await adoptRegistry();
    const head = await readHeader(rpc);
    const filled = await fillGaps({
      ...{ rpc, chain: chain.key, vaults, store, head, batchSize, logger },
      ...{ backfillHours: options.backfillHours, signal: stopping.signal },
    });
    if (filled.newest) await rememberBlock(filled.newest);
    const sampled = await sampleBlock(rpc, planSample(vaults, batchSize), head);
    await store.save(sampled, []);
    merge([...filled.snapshots, ...sampled]);
    await probe(vaults);
    rank(vaults);
  };

  const adoptRegistry = async (): Promise<readonly TrackedVault[]> => {
    await discardOtherChain();
    const { checked, mismatches } = await checkVaults(rpc, entries, batchSize);
    dropped = mismatches.map(({ entry: { address, name }, reason }) => ({
      chain: chain.key,
      address,
      name,
      reason,
    }));
    for (const drop of dropped) logger.warn(drop, 'vault dropped: the chain contradicts the registry');
    const identified = checked.map((vault) => ({
      ...vault,
      entry: { ...vault.entry, chain: chain.key },
      vaultId: vaultIdOf(vault.entry.chainId, vault.entry.address),
    }));
    const ids = await store.register(
      identified.map(({ vaultId, entry }) => ({ vaultId, chainId: entry.chainId, address: entry.address })),
    );
    const adopted = identified.map((vault) => ({ ...vault, id: ids.get(vault.vaultId)! }));
    merge(
      await store.read(
        adopted.map(({ id }) => id),
        now() / 1_000 - keptSeconds,
      ),
    );
    return adopted;
  };

  /** A local chain starts anew while the database stays: what was read from the old one means nothing. */
  const discardOtherChain = async () => {
    const anchor = await store.anchor(chain.chainId);
    if (!anchor) return;
    const found = await readHeader(rpc, Number(anchor.block)).catch((error: unknown) => {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    });
    if (found?.hash === anchor.hash) return;
    logger.warn({ chain: chain.key }, 'this is not the chain that was sampled before: reading it anew');
    await store.discardChain(chain.chainId);
  };

  const rememberBlock = ({ number, hash }: Header) =>
    store.setAnchor(chain.chainId, { block: BigInt(number), hash });

  const merge = (snapshots: readonly Snapshot[]) => {
    for (const snapshot of snapshots) {
      const hours = series.get(snapshot.vault) ?? new Map<number, Snapshot>();
      series.set(snapshot.vault, hours);
      const hour = Math.floor(snapshot.t / hourSeconds);
      if ((hours.get(hour)?.t ?? -Infinity) <= snapshot.t) hours.set(hour, snapshot);
      newest = Math.max(newest ?? -Infinity, snapshot.t);
    }
  };

  const probe = async (tracked: readonly TrackedVault[]) => {
    const interval = (options.probeIntervalSeconds ?? defaultProbeIntervalSeconds) * 1_000;
    if (Math.abs(now() - probedAt) < interval) return;
    for (let start = 0; start < tracked.length; start += batchSize)
      await Promise.all(
        tracked
          .slice(start, start + batchSize)
          .map(async ({ id, entry }) => obstacles.set(id, await probeVault(rpc, entry))),
      );
    probedAt = now();
  };

  const rank = (tracked: readonly TrackedVault[]) => {
    const seconds = now() / 1_000;
    // By the time of the chain: the clock of the machine may jump, and what is dropped does not come back.
    const oldest = Math.floor(((newest ?? seconds) - keptSeconds) / hourSeconds);
    const records = tracked.map((vault) => {
      const hours = series.get(vault.id) ?? new Map<number, Snapshot>();
      for (const hour of hours.keys()) if (hour < oldest) hours.delete(hour);
      const snapshots = [...hours.values()].sort((a, b) => a.t - b.t);
      return { vault, snapshots, obstacle: obstacles.get(vault.id) };
    });
    ranking = rankVaults(measureVaults(records, { now: seconds, minTvlUsd: options.minTvlUsd }));
  };

  const report = (error: unknown) => {
    const outage = asUpstreamError(error, `rpc:${chain.key}`);
    logger.warn({ chain: chain.key, err: outage ?? error }, 'sampling failed: the last ranking stays');
  };

  /** Sample at every interval; after a failure sooner, and ever later. */
  const loop = async (onRanked: () => void) => {
    const { signal } = stopping;
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      let pauseMs = options.sampleIntervalSeconds * 1_000;
      try {
        await refresh();
        retryMs = firstRetryMs;
        onRanked();
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        pauseMs = Math.min(pauseMs, retryMs);
        retryMs = Math.min(2 * retryMs, maxRetryMs);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };

  return {
    start: () =>
      new Promise((resolve) => {
        running ??= loop(resolve);
        void running.then(resolve);
      }),
    stop: async () => {
      stopping.abort();
      await running;
    },
    ranking: () => ranking,
    newestSnapshot: () => newest,
    tracked: (vaultId) => vaults?.find((vault) => vault.vaultId === vaultId),
    dropped: () => dropped,
  };
}
