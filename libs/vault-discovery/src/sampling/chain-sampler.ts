import { type ActiveChain, asUpstreamError } from '@yield-vault/chains';
import { createBlockFinder, readHeader } from '../chain/block-finder.js';
import { sampleBlock } from './sample-block.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { measureVaults } from '../measuring/measure-vaults.js';
import { hourSeconds, snapshotOrigins } from '@yield-vault/vault-metrics';
import { readPast } from '../charts/chart-to-snapshots.js';
import type { AssetPrice } from '../prices/priced-assets.js';
import { createBackfill } from './backfill.js';
import { createChainMemory } from './chain-memory.js';
import { type ChainView, viewChain } from './chain-view.js';
import { createContractRotation } from './contract-rotation.js';
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
  const memory = createChainMemory(stores.snapshots);
  const planner = createPlanner((assets) => deps.pricerOf(chain, assets));
  const membership = createMembership({ chain, catalogue, store: stores.snapshots, logger });
  const rotation =
    deps.proberOf &&
    createProbeRotation({
      prober: deps.proberOf(chain),
      store: stores.capabilities,
      exits: stores.exits,
      hourBefore: async (block) => {
        const header = await readHeader(rpc, Number(block));
        const found = await createBlockFinder(rpc, header).lastBefore(header.t - hourSeconds);
        return found && BigInt(found.number);
      },
      now,
      ...options,
    });
  const contracts =
    deps.contractReaderOf &&
    createContractRotation({ reader: deps.contractReaderOf(chain), store: stores.contracts, now });
  const backfill = createBackfill({
    rpc,
    chain: key,
    store: stores.snapshots,
    logger,
    backfillHours: options.backfillHours,
    hoursPerSave: options.hoursPerSave,
    planOf: (vaults) => planner.plan(vaults),
    onSaved: (snapshots) => memory.record(snapshots),
    chartOf: deps.chart && readChart,
  });

  /** Read the past from the external chart. It continues from the first sample of the chain; without one there is none. */
  async function readChart(vault: TrackedVault, since: number) {
    const { decimals } = vault.entry.asset;
    for await (const { columns } of stores.snapshots.readSeries([vault.id], since, () => decimals)) {
      const index = columns.origin.indexOf(snapshotOrigins.chain);
      if (index < 0) return [];
      const first = { t: columns.t[index]!, sharePrice: columns.sharePrice[index]! };
      return readPast({ chart: deps.chart!, pricer: planner.pricer(), vault, first, since, signal });
    }
    return [];
  }

  /** Compare the catalogue with the chain, and load the stored data of vaults that joined. */
  const updateMembers = async (): Promise<Members> => {
    const members = await membership.update(signal);
    const joined = memory.track(members.vaults);
    if (joined.length > 0) {
      await Promise.all([
        backfill.loadCoverage(joined),
        rotation?.loadResults(joined),
        contracts?.load(joined),
      ]);
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
      exit: rotation?.exit(vault.id),
      contract: contracts?.facts(vault.id),
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
      planner.setAssets(members.vaults);
      const { vaults } = members;
      const prices = await sampleHead(vaults, view);
      await attempt('missed hours', () => backfill.catchUp(vaults, view, signal));
      const deadline = performance.now() + backfillMs;
      const hasTime = () => performance.now() < deadline;
      const isFilled = await attempt('past hours', () => backfill.goBack(vaults, view, hasTime, signal));
      const block = BigInt(view.head.number);
      await attempt('simulated deposits', async () => rotation?.refreshDue(vaults, block, signal));
      await attempt('exits', async () => rotation?.refreshExits(vaults, block, signal));
      await attempt('contracts', async () => contracts?.refreshDue(vaults, block, signal));
      await publish(members, view, prices);
      memory.forgetOlder(view.head.t);
      if (hasFailed) return 'failed';
      return isFilled ? 'done' : 'more';
    },
  };
}
