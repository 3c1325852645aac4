import { type ActiveChain, asUpstreamError } from '@yield-vault/chains';
import { sampleBlock, type TrackedVault } from '../chain/sample-block.js';
import { readPast } from '../charts/chart-to-snapshots.js';
import { measureVaults } from '../metrics/measure-vaults.js';
import { snapshotOrigins } from '../ports.js';
import type { AssetPrice } from '../prices/priced-assets.js';
import { createBackfill } from './backfill.js';
import { createChainMemory } from './chain-memory.js';
import { type ChainView, viewChain } from './chain-view.js';
import { createMembership, type Members } from './membership.js';
import { createPlanner } from './planner.js';
import { createProbeRotation } from './probe-rotation.js';
import type { VaultSamplerDeps } from './sampler-deps.js';

export interface ChainSamplerDeps extends Required<Pick<VaultSamplerDeps, 'logger' | 'now'>> {
  readonly chain: ActiveChain;
  readonly deps: VaultSamplerDeps;
  readonly signal: AbortSignal;
}

/** Samples one chain until its node serves another chain. */
export interface ChainSampler {
  /**
   * Bring everything up to date.
   *
   * @param backfillMs - longest time for reading past hours, before the metrics are computed
   * @returns `replaced`: the node serves another chain. `failed`: a step failed; the others succeeded. `more`: some
   * past hours are not read yet.
   * @throws when the chain or the database does not respond
   */
  refresh(backfillMs: number): Promise<'done' | 'failed' | 'more' | 'replaced'>;
}

/** Create a sampler that knows nothing of the chain yet. */
export function createChainSampler({ chain, deps, now, logger, signal }: ChainSamplerDeps): ChainSampler {
  const { catalogue, stores, options } = deps;
  const { rpc, chainId, key } = chain;
  const { multicallBatchSize: batchSize, readGasLimit } = options;
  const memory = createChainMemory(stores.snapshots);
  const settings = { batchSize, readGasLimit };
  const planner = createPlanner({ chain, pricerOf: deps.pricerOf, settings, logger });
  const membership = createMembership({ chain, catalogue, store: stores.snapshots, batchSize, logger });
  const rotation =
    deps.proberOf &&
    createProbeRotation({ prober: deps.proberOf(chain), store: stores.capabilities, now, ...options });
  const backfill = createBackfill({
    ...{ rpc, chain: key, store: stores.snapshots, logger },
    ...{ backfillHours: options.backfillHours, hoursPerSave: options.hoursPerSave },
    planOf: (vaults) => planner.plan(vaults),
    onSaved: (snapshots) => memory.record(snapshots),
    ...(deps.chart && { chartOf: readChart }),
  });

  async function readChart(vault: TrackedVault, since: number) {
    const stored = await stores.snapshots.read([vault.id], since);
    const first = stored.find(({ origin }) => origin === snapshotOrigins.chain);
    if (!first) return [];
    const work = { chart: deps.chart!, pricer: planner.pricer(), vault, first, since, signal };
    return readPast(work);
  }

  /** Compare the catalogue with the chain, and load the stored data of vaults that joined. */
  const updateMembers = async (): Promise<Members> => {
    const members = await membership.update(signal);
    const joined = memory.track(members.vaults);
    if (joined.length > 0) {
      await Promise.all([backfill.adopt(joined), rotation?.adopt(joined)]);
      await memory.load(joined, now() / 1_000);
    }
    return members;
  };

  const sampleHead = async (vaults: readonly TrackedVault[], { head }: ChainView) => {
    const sample = await sampleBlock(rpc, planner.plan(vaults), head);
    await stores.snapshots.save(sample.snapshots, []);
    await memory.record(sample.snapshots);
    return sample.prices;
  };

  const publish = async (
    { vaults, contradicted, rejected }: Members,
    { head }: ChainView,
    prices: ReadonlyMap<string, AssetPrice>,
  ) => {
    const inputs = [...vaults, ...contradicted].map((vault) => ({
      vault,
      series: memory.series(vault.id),
      last: memory.newest(vault.id),
      capability: rotation?.capability(vault.id),
      liquidity: rotation?.liquidity(vault.id),
    }));
    const { minTvlUsd, maxProbeAgeSeconds } = options;
    const measured = await measureVaults(inputs, { now: now() / 1_000, minTvlUsd, maxProbeAgeSeconds });
    // A vault whose reads failed keeps its old snapshot, but the price of its asset is current.
    const reports = measured.map((report) => {
      const price = prices.get(report.summary.asset.address.toLowerCase());
      return price ? { ...report, assetPriceUsd: price.usd } : report;
    });
    // Another process may have been elected meanwhile.
    signal.throwIfAborted();
    await stores.reports.save(chainId, memory.newestTime() ?? head.t, reports, rejected);
  };

  return {
    refresh: async (backfillMs) => {
      let hasFailed = false;
      /** A failure here does not stop the other steps. */
      const attempt = async <T>(step: string, work: () => Promise<T>): Promise<T | undefined> => {
        try {
          return await work();
        } catch (error) {
          signal.throwIfAborted();
          hasFailed = true;
          const err = asUpstreamError(error, `rpc:${key}`) ?? error;
          logger.warn({ chain: key, step, err }, 'a step of sampling failed: it is repeated');
          return undefined;
        }
      };

      const view = await viewChain({ chain, store: stores.snapshots, now });
      if (view === 'replaced') return 'replaced';
      const members = await updateMembers();
      await planner.price(members.vaults);
      const { vaults } = members;
      const prices = await sampleHead(vaults, view);
      await attempt('missed hours', () => backfill.catchUp(vaults, view, signal));
      const deadline = performance.now() + backfillMs;
      const hasTime = () => performance.now() < deadline;
      const isFilled = await attempt('past hours', () => backfill.goBack(vaults, view, hasTime, signal));
      const block = BigInt(view.head.number);
      await attempt('simulated deposits', async () => rotation?.turn(vaults, block, signal));
      await publish(members, view, prices);
      memory.forgetOlder(view.head.t);
      if (hasFailed) return 'failed';
      return isFilled ? 'done' : 'more';
    },
  };
}
