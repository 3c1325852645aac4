import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { inChunks } from '../adapters/in-chunks.js';
import { splitSettled } from '../adapters/split-settled.js';
import { readPast } from '../charts/read-past.js';
import { sampleBlock, type TrackedVault } from '../chain/sample-block.js';
import { createSeriesBook } from '../measuring/series-book.js';
import { measureVaults } from '../measuring/measure-vaults.js';
import type { MeasureInput } from '../measuring/types.js';
import { lastIndexAtOrBefore } from '../metrics/series.js';
import { daySeconds, floorHour } from '../metrics/statistics.js';
import { snapshotOrigins, type Coverage, type Snapshot } from '../ports.js';
import type { AssetPrice } from '../prices/types.js';
import type { VaultSamplerDeps } from '../vault-sampler.js';
import { createBrokenReads } from './broken-reads.js';
import { viewChain, type ChainView } from './chain-view.js';
import { createHourFiller } from './create-hour-filler.js';
import { createMembership, type Members } from './create-membership.js';
import { createPlanner } from './create-planner.js';
import { createProbeRotation } from './create-probe-rotation.js';
import { knownTvl, pollingHours, type KnownTvl } from './polling.js';

/** Drawdown looks back 90 days; the margin is for cleaning. */
const keptSeconds = 92 * daySeconds;
/** Handled without letting requests through. */
const vaultsAtOnce = 500;

export interface ChainSamplerDeps extends Required<Pick<VaultSamplerDeps, 'logger' | 'now'>> {
  readonly chain: ActiveChain;
  readonly deps: VaultSamplerDeps;
  readonly signal: AbortSignal;
}

/** Samples one chain as long as it stays the chain that it is. */
export interface ChainSampler {
  /**
   * Bring everything up to date.
   *
   * @param backfillMs - how long it may read the past before the numbers are computed
   * @returns `replaced`: another chain is served in its place. `failed`: a step did not work; the others did.
   * `more`: the past is not read yet.
   * @throws when the chain or the database does not answer
   */
  refresh(backfillMs: number): Promise<'done' | 'failed' | 'more' | 'replaced'>;
}

/** Begin to sample a chain, knowing nothing. */
export function createChainSampler({ chain, deps, now, logger, signal }: ChainSamplerDeps): ChainSampler {
  const { catalogue, stores, options, chart } = deps;
  const { rpc, chainId, key } = chain;
  const { multicallBatchSize: batchSize, readGasLimit } = options;
  const book = createSeriesBook();
  /** The newest snapshot of each vault in this run: a vault without one is sampled at the head first. */
  const newest = new Map<number, Snapshot>();
  /** Of the samples in the book; forgotten when one comes in. */
  const tvls = new Map<number, KnownTvl>();
  let tracked: ReadonlyMap<number, TrackedVault> = new Map();
  /** Ids of the vaults of which everything that is stored was taken over. */
  const adopted = new Set<number>();
  /** Ids of the vaults that are known, sampled or not. */
  let known: ReadonlySet<number> = new Set();
  /** Reports of others may be stored: vaults may have left the catalogue while no process sampled. */
  let hasLeft = true;

  const planner = createPlanner({
    ...{ chain, pricerOf: deps.pricerOf, settings: { batchSize, readGasLimit }, logger },
  });
  const membership = createMembership({ chain, catalogue, store: stores.snapshots, batchSize, logger });
  const broken = createBrokenReads({ rpc, chain: key, store: stores.brokenReads, readGasLimit, logger });
  const rotation =
    deps.proberOf &&
    createProbeRotation({
      ...{ prober: deps.proberOf(chain), store: stores.capabilities, now },
      ...{ sampleIntervalSeconds: options.sampleIntervalSeconds },
      ...{ probeIntervalSeconds: options.probeIntervalSeconds },
    });

  const tvlOf = (id: number): KnownTvl => {
    const tvl = tvls.get(id) ?? knownTvl(book.columns(id));
    tvls.set(id, tvl);
    return tvl;
  };

  const recordOne = (snapshot: Snapshot, isSettled: boolean) => {
    tvls.delete(snapshot.vault);
    const vault = tracked.get(snapshot.vault);
    if (vault) book.add(vault, snapshot, isSettled);
    const before = newest.get(snapshot.vault)?.t ?? -Infinity;
    const isOfHour = floorHour(before) === floorHour(snapshot.t);
    const isNewer = before <= snapshot.t || (isSettled && isOfHour);
    if (isNewer && snapshot.origin === snapshotOrigins.chain) newest.set(snapshot.vault, snapshot);
  };
  const record = async (snapshots: readonly Snapshot[], coverage: readonly Coverage[]) => {
    const { settled, unsettled } = splitSettled(snapshots, coverage);
    for await (const part of inChunks(settled, vaultsAtOnce)) for (const each of part) recordOne(each, true);
    for await (const part of inChunks(unsettled, vaultsAtOnce))
      for (const each of part) recordOne(each, false);
  };

  const hours = createHourFiller({
    ...{ rpc, chain: key, store: stores.snapshots, logger },
    ...{ backfillHours: options.backfillHours, hoursPerSave: options.hoursPerSave },
    planOf: (vaults) => planner.plan(vaults),
    pollingOf: ({ id }) => pollingHours(tvlOf(id)),
    sampledSince: ({ id }, since) => {
      const { t } = book.columns(id);
      return t.subarray(lastIndexAtOrBefore(t, since - 1) + 1);
    },
    onSaved: record,
    ...(chart && {
      chartOf: async (vault: TrackedVault, since: number) => {
        const first = await firstOf(vault, since);
        if (!first) return [];
        const past = await readPast({ chart, pricer: planner.pricer(), vault, first, since, signal });
        return past.snapshots;
      },
    }),
  });

  const firstOf = async ({ id }: TrackedVault, since: number): Promise<Snapshot | undefined> =>
    (await stores.snapshots.read([id], since)).find(({ origin }) => origin === snapshotOrigins.chain);

  /** Compare the catalogue with the chain; take over what is stored of vaults that joined. */
  const updateMembers = async (): Promise<Members> => {
    const members = await membership.update(signal);
    tracked = new Map(members.vaults.map((vault) => [vault.id, vault]));
    await adopt(members.vaults.filter(({ id }) => !adopted.has(id)));
    for (const id of adopted) if (!tracked.has(id)) leave(id);
    const ids = new Set([...members.vaults, ...members.contradicted].map(({ id }) => id));
    hasLeft ||= [...known].some((id) => !ids.has(id));
    known = ids;
    return members;
  };

  const adopt = async (vaults: readonly TrackedVault[]) => {
    if (vaults.length === 0) return;
    const decimalsOf = (id: number) => tracked.get(id)!.entry.asset.decimals;
    const since = now() / 1_000 - keptSeconds;
    const ids = vaults.map(({ id }) => id);
    for await (const { vault, columns } of stores.snapshots.readSeries(ids, since, decimalsOf))
      book.load(vault, columns);
    await Promise.all([hours.adopt(vaults), broken.adopt(vaults), rotation?.adopt(vaults)]);
    for (const id of ids) adopted.add(id);
  };

  const leave = (id: number) => {
    book.drop(id);
    newest.delete(id);
    tvls.delete(id);
    adopted.delete(id);
  };

  /** Those large enough to be listed are looked at every time; the others at their hours. */
  const isSampledAtHead = ({ id }: TrackedVault): boolean => {
    const usd = tvlOf(id).last;
    return !newest.has(id) || usd === undefined || usd >= options.minTvlUsd;
  };

  const sampleHead = async (vaults: readonly TrackedVault[], { head }: ChainView) => {
    const sampled = vaults.filter(isSampledAtHead);
    const sample = await sampleBlock(rpc, planner.plan(sampled), head);
    await broken.note(sampled, sample);
    await stores.snapshots.save(sample.snapshots, []);
    await record(sample.snapshots, []);
    return sample.prices;
  };

  const inputOf = (vault: TrackedVault): MeasureInput => ({
    vault,
    series: book.columns(vault.id),
    last: newest.get(vault.id),
    capability: rotation?.capability(vault.id),
    liquidity: rotation?.liquidity(vault.id),
  });

  const publish = async (
    { vaults, contradicted, dropped }: Members,
    { head }: ChainView,
    prices: ReadonlyMap<string, AssetPrice>,
  ) => {
    const inputs: MeasureInput[] = [];
    for await (const part of inChunks([...vaults, ...contradicted], vaultsAtOnce))
      inputs.push(...part.map(inputOf));
    const { minTvlUsd, maxProbeAgeSeconds } = options;
    const measuring = { now: now() / 1_000, minTvlUsd, maxProbeAgeSeconds };
    const measured = await measureVaults(inputs, measuring);
    // A small vault may have been sampled a week ago: what a wallet holds there is worth what it is worth now.
    const reports = measured.map((report) => {
      const price = prices.get(report.summary.asset.address.toLowerCase());
      return price ? { ...report, assetPriceUsd: price.usd } : report;
    });
    const times = [...newest.values()].map(({ t }) => t);
    const newestSnapshot = times.reduce((a, b) => Math.max(a, b), times.length > 0 ? 0 : head.t);
    // Another process may have been elected meanwhile.
    signal.throwIfAborted();
    const version = await stores.reports.save(chainId, newestSnapshot, reports, dropped);
    if (hasLeft) await stores.reports.retain(chainId, [...known]);
    hasLeft = false;
    await deps.onReports?.({ chainId, version, newestSnapshot, reports, dropped });
  };

  return {
    refresh: async (backfillMs) => {
      let hasFailed = false;
      /** What fails here does not keep the rest from being done. */
      const attempt = async <T>(step: string, work: () => Promise<T>): Promise<T | undefined> => {
        try {
          return await work();
        } catch (error) {
          signal.throwIfAborted();
          hasFailed = true;
          const err = asUpstreamError(error, `rpc:${key}`) ?? error;
          logger.warn({ chain: key, step, err }, 'a step of sampling failed: it is tried again');
          return undefined;
        }
      };

      const view = await viewChain({ chain, store: stores.snapshots, now });
      if (view === 'replaced') return 'replaced';
      const members = await updateMembers();
      const { vaults } = members;
      await planner.price(vaults);
      const prices = await sampleHead(await broken.working(vaults, view.head), view);
      const working = await broken.working(vaults, view.head);
      await attempt('missed hours', () => hours.catchUp(working, view, signal));
      const deadline = performance.now() + backfillMs;
      const hasTime = () => performance.now() < deadline;
      const isFilled = await attempt('past hours', () => hours.goBack(working, view, hasTime, signal));
      const block = BigInt(view.head.number);
      await attempt('simulated deposits', async () => rotation?.turn(working, block, signal));
      await publish(members, view, prices);
      book.forgetBefore(view.head.t - keptSeconds);
      if (hasFailed) return 'failed';
      return isFilled ? 'done' : 'more';
    },
  };
}
