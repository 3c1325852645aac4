import type { Hex, PublicClient } from 'viem';
import { createBlockFinder, readHeaderIfAny, type BlockFinder, type Header } from '../chain/block-finder.js';
import type { Sample, SamplePlan, TrackedVault } from '../chain/sample-block.js';
import { clamp, floorHour, hourSeconds } from '../metrics/statistics.js';
import type { Coverage, LoggerPort, Snapshot, SnapshotStore } from '../ports.js';
import { getOrCreate } from '../ranking/get-or-create.js';
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
  /** Times since then at which a vault was sampled, at the head too: those hours are due whatever its polling. */
  readonly sampledSince: (vault: TrackedVault, since: number) => Iterable<number>;
  /** Told what was saved, and the coverage of the vaults of which it changed. */
  readonly onSaved: (snapshots: readonly Snapshot[], coverage: readonly Coverage[]) => Promise<void> | void;
  readonly logger: LoggerPort;
}

/** How far the samples of a vault reach. Times are hours, Unix seconds. */
interface Reach {
  /** Every due hour in [from, until) was read for good: what the store knows. */
  readonly from: number;
  readonly until: number;
  /** Up to here hours were read that may still change with a reorganisation: known to this process alone. */
  readonly read: number;
  /** Samples of [until, read): saved again when they are final, over whatever stands there by then. */
  readonly unsettled: readonly Snapshot[];
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
  /** By hash, the blocks of hours that were read before they were final. */
  const tentative = new Map<Hex, Header>();
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
    change: (reach: Reach, vault: TrackedVault) => Partial<Reach>,
  ) => {
    const changed = vaults.map((vault) => {
      const before = reachOf(vault);
      return { id: vault.id, before, after: { ...before, ...change(before, vault) } };
    });
    const coverage = changed
      .filter(({ before, after }) => before.from !== after.from || before.until !== after.until)
      .map(({ id, after: { from, until } }) => ({ vault: id, from, until }));
    if (snapshots.length > 0 || coverage.length > 0) await store.save(snapshots, coverage);
    for (const { id, after } of changed) reaches.set(id, after);
    await deps.onSaved(snapshots, coverage);
  };

  /** Vaults that are new, or were not read for longer than anyone looks back, begin at the present. */
  const begin = (vaults: readonly TrackedVault[], view: ChainView) => {
    const end = floorHour(view.final.t);
    for (const { id } of vaults)
      if ((reaches.get(id)?.until ?? -Infinity) <= startOf(view))
        reaches.set(id, { from: end, until: end, read: end, unsettled: [] });
  };

  const forgetReorganised = async (final: Header) => {
    const newest = Math.max(...[...tentative.values()].map(({ number }) => number));
    // The newest tells at once; the others were perhaps read on another branch than it.
    const looked = [...tentative.values()].filter(
      ({ number }) => number === newest || number <= final.number,
    );
    for (const { number, hash } of looked) {
      if ((await readHeaderIfAny(rpc, number))?.hash === hash) {
        if (number <= final.number) tentative.delete(hash);
        continue;
      }
      logger.warn({ chain, block: number }, 'the chain was reorganised: its last hours are read anew');
      for (const [id, reach] of reaches) reaches.set(id, { ...reach, read: reach.until, unsettled: [] });
      return tentative.clear();
    }
  };

  /** What a vault's reach becomes when hours up to `read` were read, of which those before `finalEnd` are final. */
  const settle = (reach: Reach, finalEnd: number, read: number, samples: readonly Snapshot[]): Reach => {
    const until = Math.max(reach.until, Math.min(read, finalEnd));
    const unsettled = [...reach.unsettled, ...samples].filter(({ t }) => t >= until);
    return { ...reach, read, until, unsettled };
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
        for (const [hour, sampled] of sampledHours(group, hours))
          if (!isDue(hour, polling))
            readings.push(...(await readHours(rpc, finder, planOf(sampled), [hour], signal)));
        missing += readings.filter(({ found }) => found === 'missing-state').length;
        const samples = samplesOf(readings);
        for (const { header } of samples)
          if (header.number > view.final.number) tentative.set(header.hash, header);
        const snapshots = snapshotsOf(samples);
        const ofVault = new Map<number, Snapshot[]>();
        for (const snapshot of snapshots) getOrCreate(ofVault, snapshot.vault, () => []).push(snapshot);
        await save(snapshots, group, (reach, { id }) =>
          settle(reach, finalEnd, hours.at(-1)! + hourSeconds, ofVault.get(id) ?? []),
        );
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
        reaches.set(vault, { from, until, read: until, unsettled: [] });
    },

    catchUp: async (vaults, view, signal) => {
      begin(vaults, view);
      await forgetReorganised(view.final);
      // What was read before it was final counts once it is.
      const finalEnd = floorHour(view.final.t);
      const settled = vaults.flatMap((vault) => reachOf(vault).unsettled.filter(({ t }) => t < finalEnd));
      await save(settled, vaults, (reach) => settle(reach, finalEnd, reach.read, []));
      await readForward(vaults, view, signal);
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

  /** Hours among these in which a vault was sampled already, with those vaults. */
  function sampledHours(
    vaults: readonly TrackedVault[],
    hours: readonly number[],
  ): Map<number, TrackedVault[]> {
    const [start, end] = [hours[0]!, hours.at(-1)! + hourSeconds];
    const found = new Map<number, TrackedVault[]>();
    for (const vault of vaults)
      for (const hour of new Set(Array.from(deps.sampledSince(vault, start), floorHour)))
        if (hour < end) getOrCreate(found, hour, () => []).push(vault);
    return found;
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
