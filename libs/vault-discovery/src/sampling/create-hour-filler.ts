import type { PublicClient } from 'viem';
import { createBlockFinder, readHeaderIfAny, type BlockFinder, type Header } from '../chain/block-finder.js';
import type { Sample, SamplePlan, TrackedVault } from '../chain/sample-block.js';
import { clamp, hourSeconds } from '../metrics/statistics.js';
import type { LoggerPort, Snapshot, SnapshotStore } from '../ports.js';
import { settleSeconds, type ChainView } from './chain-view.js';
import { dueHours, isDue, type PollingHours } from './polling.js';
import { createProgress } from './progress.js';
import { readHours, samplesOf } from './read-hours.js';

const defaultHoursPerSave = 48;
const snapshotsPerSave = 20_000;
const chartRetryMs = 3_600_000;

export interface HourFillerDeps {
  readonly rpc: PublicClient;
  readonly chain: string;
  readonly store: Pick<SnapshotStore, 'coverage' | 'save'>;
  readonly backfillHours: number;
  /** Hours that are saved at once (48); fewer where there are many vaults. */
  readonly hoursPerSave?: number;
  readonly planOf: (vaults: readonly TrackedVault[]) => SamplePlan;
  readonly pollingOf: (vault: TrackedVault) => PollingHours;
  /** The past of a vault since a time by an external chart, where no node has the state. */
  readonly chartOf?: (vault: TrackedVault, since: number) => Promise<readonly Snapshot[]>;
  /** Told what was saved. */
  readonly onSaved: (snapshots: readonly Snapshot[]) => Promise<void> | void;
  readonly logger: LoggerPort;
}

/** How far the samples of a vault reach. Times are hours, Unix seconds. */
interface Reach {
  /** Every due hour in [from, until) was read for good: what the store knows. */
  readonly from: number;
  readonly until: number;
  /** Up to here hours were read that may still change with a reorganisation: known to this process alone. */
  readonly read: number;
}

/** Reads every hour of vaults that is due, once, and remembers in the store how far that is. */
export interface HourFiller {
  /** Take over how far the stored samples of vaults reach. */
  adopt(vaults: readonly TrackedVault[]): Promise<void>;
  /** Read what ended since the last time, oldest first. */
  catchUp(vaults: readonly TrackedVault[], view: ChainView, signal: AbortSignal): Promise<void>;
  /**
   * Read what lies further back, newest first, while there is time. Progress is saved with every part, so an
   * interruption costs little.
   *
   * @returns whether nothing is left to read
   */
  goBack(
    vaults: readonly TrackedVault[],
    view: ChainView,
    hasTime: () => boolean,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** Begin to fill the hours of a chain. */
export function createHourFiller(deps: HourFillerDeps): HourFiller {
  const { rpc, chain, store, planOf, pollingOf, chartOf, logger } = deps;
  const reaches = new Map<number, Reach>();
  const progress = createProgress(logger, chain, 'reading past hours');
  /** Vaults whose older past nobody has, until a time of `performance.now()`. */
  const exhausted = new Map<number, number>();
  /** The newest block of an hour that was read before it was final. */
  let tentative: Header | undefined;
  /** No node has the state of an earlier hour. */
  let stateBegins = -Infinity;
  /** Knows final blocks only, which stay where they are. */
  let finalBlocks: BlockFinder | undefined;

  const reachOf = ({ id }: TrackedVault) => reaches.get(id)!;
  const hoursPerSave = (vaultCount: number): number =>
    clamp(Math.floor(snapshotsPerSave / vaultCount), 1, deps.hoursPerSave ?? defaultHoursPerSave);
  const startOf = (view: ChainView) => floorHour(view.final.t) - deps.backfillHours * hourSeconds;

  /** Save samples and what they change about reaches at once. */
  const save = async (
    snapshots: readonly Snapshot[],
    vaults: readonly TrackedVault[],
    change: (reach: Reach) => Partial<Reach>,
  ) => {
    const changed = vaults.map((vault) => {
      const before = reachOf(vault);
      return { id: vault.id, before, after: { ...before, ...change(before) } };
    });
    const coverage = changed
      .filter(({ before, after }) => before.from !== after.from || before.until !== after.until)
      .map(({ id, after: { from, until } }) => ({ vault: id, from, until }));
    if (snapshots.length > 0 || coverage.length > 0) await store.save(snapshots, coverage);
    for (const { id, after } of changed) reaches.set(id, after);
    await deps.onSaved(snapshots);
  };

  /** Vaults that are new, or were not read for longer than anyone looks back, begin at the present. */
  const begin = (vaults: readonly TrackedVault[], view: ChainView) => {
    const end = floorHour(view.final.t);
    for (const { id } of vaults)
      if ((reaches.get(id)?.until ?? -Infinity) <= startOf(view))
        reaches.set(id, { from: end, until: end, read: end });
  };

  const forgetReorganised = async (final: Header) => {
    if (!tentative) return;
    const isOnChain = (await readHeaderIfAny(rpc, tentative.number))?.hash === tentative.hash;
    if (isOnChain && tentative.number > final.number) return;
    if (!isOnChain) {
      logger.warn(
        { chain, block: tentative.number },
        'the chain was reorganised: its last hours are read anew',
      );
      for (const [id, reach] of reaches) reaches.set(id, { ...reach, read: reach.until });
    }
    tentative = undefined;
  };

  const readForward = async (vaults: readonly TrackedVault[], view: ChainView, signal: AbortSignal) => {
    const finalEnd = floorHour(view.final.t);
    const end = Math.max(finalEnd, floorHour(view.head.t - settleSeconds));
    // A node may call the first block final for ever: then only so much is worth reading.
    const earliest = end - deps.backfillHours * hourSeconds;
    const finder = createBlockFinder(rpc, view.head);
    let missing = 0;
    for (const { key: begun, polling, vaults: group } of groupsOf(vaults, (vault) => reachOf(vault).read)) {
      const plan = planOf(group);
      for (const hours of chunksOf(
        hoursBetween(Math.max(begun, earliest), end),
        hoursPerSave(group.length) * polling,
      )) {
        const due = hours.filter((hour) => isDue(hour, polling));
        const readings = await readHours(rpc, finder, plan, due, signal);
        missing += readings.filter(({ found }) => found === 'missing-state').length;
        const samples = samplesOf(readings);
        await save(snapshotsOf(samples), group, () => ({ read: hours.at(-1)! + hourSeconds }));
        for (const { header } of samples)
          if (header.number > Math.max(view.final.number, tentative?.number ?? 0)) tentative = header;
      }
    }
    if (missing > 0)
      logger.warn({ chain, hours: missing }, 'no node has the state of hours that were missed: a gap stays');
  };

  const readBack = async (
    { key: from, polling, vaults }: Group,
    final: Header,
    start: number,
    signal: AbortSignal,
  ): Promise<void> => {
    finalBlocks ??= createBlockFinder(rpc, final);
    finalBlocks.know(final);
    const span = hoursPerSave(vaults.length) * polling * hourSeconds;
    const hours = hoursBetween(Math.max(start, from - span), from).reverse();
    const due = hours.filter((hour) => isDue(hour, polling));
    const readings = await readHours(rpc, finalBlocks, planOf(vaults), due, signal);
    const missing = readings.findIndex(({ found }) => found === 'missing-state');
    const oldest = missing === -1 ? hours.at(-1)! : readings[missing]!.hour + hourSeconds;
    const read = missing === -1 ? readings : readings.slice(0, missing);
    await save(snapshotsOf(samplesOf(read)), vaults, () => ({ from: oldest }));
    if (missing === -1) return;
    stateBegins = Math.max(stateBegins, oldest);
    logger.warn({ chain, since: toIso(oldest) }, 'no node has older state: history begins here');
  };

  /** What a chart knows counts as read; what it does not know is asked for again by the next process. */
  const readChart = async (vault: TrackedVault, start: number, signal: AbortSignal): Promise<void> => {
    exhausted.set(vault.id, Infinity);
    if (!chartOf) return;
    try {
      const snapshots = await chartOf(vault, start);
      if (snapshots.length > 0) await save(snapshots, [vault], () => ({ from: start }));
    } catch (err) {
      signal.throwIfAborted();
      exhausted.set(vault.id, performance.now() + chartRetryMs);
      logger.warn({ chain, vault: vault.vaultId, err }, 'the chart does not answer: asked again in an hour');
    }
  };

  return {
    adopt: async (vaults) => {
      for (const { vault, from, until } of await store.coverage(vaults.map(({ id }) => id)))
        reaches.set(vault, { from, until, read: until });
    },

    catchUp: async (vaults, view, signal) => {
      begin(vaults, view);
      await forgetReorganised(view.final);
      await readForward(vaults, view, signal);
      // What was read before it was final counts once it is.
      const finalEnd = floorHour(view.final.t);
      await save([], vaults, ({ until, read }) => ({ until: Math.max(until, Math.min(read, finalEnd)) }));
    },

    goBack: async (vaults, view, hasTime, signal) => {
      const start = startOf(view);
      for (;;) {
        const open = vaults.filter(
          (vault) => reachOf(vault).from > start && !((exhausted.get(vault.id) ?? 0) > performance.now()),
        );
        // Newest first: then vaults that joined later end up in one group with the others.
        const [group] = groupsOf(open, (vault) => reachOf(vault).from).sort((a, b) => b.key - a.key);
        if (!group) return true;
        if (!hasTime()) return false;
        const begun = performance.now();
        const before = leftOf(open, start);
        if (group.key > stateBegins) await readBack(group, view.final, start, signal);
        else await readChart(group.vaults[0]!, start, signal);
        const left = leftOf(open, start);
        progress.advance(before - left, performance.now() - begun, left);
      }
    },
  };

  function leftOf(vaults: readonly TrackedVault[], start: number): number {
    const until = Math.max(start, stateBegins);
    return vaults.reduce(
      (sum, vault) => sum + dueHours(until, Math.max(until, reachOf(vault).from), pollingOf(vault)),
      0,
    );
  }

  interface Group {
    readonly key: number;
    readonly polling: PollingHours;
    readonly vaults: TrackedVault[];
  }

  /** Vaults whose samples reach equally far, and that are sampled equally often, are read together. */
  function groupsOf(vaults: readonly TrackedVault[], keyOf: (vault: TrackedVault) => number): Group[] {
    const groups = new Map<string, Group>();
    for (const vault of vaults) {
      const [key, polling] = [keyOf(vault), pollingOf(vault)];
      const group = groups.get(`${key} ${polling}`) ?? { key, polling, vaults: [] };
      groups.set(`${key} ${polling}`, group);
      group.vaults.push(vault);
    }
    return [...groups.values()];
  }
}

const floorHour = (t: number): number => t - (t % hourSeconds);
const toIso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const snapshotsOf = (samples: readonly Sample[]) => samples.flatMap(({ snapshots }) => snapshots);

function hoursBetween(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, (end - start) / hourSeconds) }, (_, i) => start + i * hourSeconds);
}

function chunksOf(hours: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(hours.length / size) }, (_, index) =>
    hours.slice(index * size, (index + 1) * size),
  );
}
