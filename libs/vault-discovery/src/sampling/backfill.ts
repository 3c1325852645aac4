import type { PublicClient } from 'viem';
import type { LoggerPort } from '@yield-vault/protocol';
import { type BlockFinder, createBlockFinder, type Header } from '../chain/block-finder.js';
import type { SamplePlan } from './sample-block.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { clamp, floorHour, hourSeconds } from '@yield-vault/vault-metrics';
import type { Coverage, Snapshot, SnapshotStore } from '../ports.js';
import type { ChainView } from './chain-view.js';
import { createProgress } from './progress.js';
import { hoursBetween, readHours, snapshotsOf } from './read-hours.js';

const defaultHoursPerSave = 48;
const snapshotsPerSave = 20_000;
const chartRetryMs = 3_600_000;

export interface BackfillDeps {
  readonly rpc: PublicClient;
  readonly chain: string;
  readonly store: Pick<SnapshotStore, 'coverage' | 'save'>;
  readonly backfillHours: number;
  /** Hours that are saved at once (48); fewer where there are many vaults. */
  readonly hoursPerSave?: number;
  readonly planOf: (vaults: readonly TrackedVault[]) => SamplePlan;
  /** Read snapshots from an external chart. It covers the past whose state no node keeps. */
  readonly chartOf?: (vault: TrackedVault, since: number) => Promise<readonly Snapshot[]>;
  /** Called with the snapshots of every save. */
  readonly onSaved: (snapshots: readonly Snapshot[]) => Promise<void> | void;
  readonly logger: LoggerPort;
}

/** Reads every final hour of vaults once, and stores how far it got. */
export interface Backfill {
  /** Load the stored coverage of vaults. Call it first. Call `catchUp` before `goBack`. */
  loadCoverage(vaults: readonly TrackedVault[]): Promise<void>;
  /** Read the hours that became final since the last call, oldest first. */
  catchUp(vaults: readonly TrackedVault[], view: ChainView, signal: AbortSignal): Promise<void>;
  /**
   * Read older hours, newest first, while there is time. Each part is saved, so an interruption costs one part.
   *
   * @returns true when everything is read
   */
  goBack(
    vaults: readonly TrackedVault[],
    view: ChainView,
    hasTime: () => boolean,
    signal: AbortSignal,
  ): Promise<boolean>;
}

type Range = Pick<Coverage, 'from' | 'until'>;

/** Create the backfill of a chain. */
export function createBackfill(deps: BackfillDeps): Backfill {
  const { rpc, chain, store, planOf, chartOf, onSaved, logger } = deps;
  const covered = new Map<number, Range>();
  const progress = createProgress(logger, chain, 'reading past hours');
  /** When to ask again for older hours of a vault (`performance.now()`). `Infinity`: not in this process. */
  const exhausted = new Map<number, number>();
  /** Start of the oldest hour whose state a node still has. */
  let stateBegins = -Infinity;
  let finder: BlockFinder | undefined;

  const rangeOf = ({ id }: TrackedVault) => covered.get(id)!;
  const hoursPerSave = (vaultCount: number): number =>
    clamp(Math.floor(snapshotsPerSave / vaultCount), 1, deps.hoursPerSave ?? defaultHoursPerSave);
  const startOf = ({ finalTime }: ChainView) => floorHour(finalTime) - deps.backfillHours * hourSeconds;

  /** A final block never changes, so one finder is enough. */
  const finderUpTo = (final: Header): BlockFinder => {
    finder ??= createBlockFinder(rpc, final);
    finder.know(final);
    return finder;
  };

  const save = async (
    snapshots: readonly Snapshot[],
    vaults: readonly TrackedVault[],
    change: Partial<Range>,
  ) => {
    const coverage = vaults.map((vault) => ({ vault: vault.id, ...rangeOf(vault), ...change }));
    await store.save(snapshots, coverage);
    for (const { vault, from, until } of coverage) covered.set(vault, { from, until });
    await onSaved(snapshots);
  };

  const readForward = async (
    vaults: readonly TrackedVault[],
    until: number,
    { final, finalTime }: ChainView,
    signal: AbortSignal,
  ): Promise<void> => {
    const plan = planOf(vaults);
    const hours = hoursBetween(until, floorHour(finalTime));
    const size = hoursPerSave(vaults.length);
    let missing = 0;
    for (let start = 0; start < hours.length; start += size) {
      const part = hours.slice(start, start + size);
      const readings = await readHours(rpc, finderUpTo(final), plan, part, signal);
      missing += readings.filter(({ found }) => found === 'missing-state').length;
      await save(snapshotsOf(readings), vaults, { until: part.at(-1)! + hourSeconds });
    }
    if (missing > 0)
      logger.warn({ chain, hours: missing }, 'no node has the state of missed hours: a gap stays');
  };

  const readBack = async (
    vaults: readonly TrackedVault[],
    from: number,
    start: number,
    { final }: ChainView,
    signal: AbortSignal,
  ): Promise<void> => {
    const span = hoursPerSave(vaults.length) * hourSeconds;
    const hours = hoursBetween(Math.max(start, from - span), from).reverse();
    const readings = await readHours(rpc, finderUpTo(final), planOf(vaults), hours, signal);
    const missing = readings.findIndex(({ found }) => found === 'missing-state');
    const oldest = missing === -1 ? hours.at(-1)! : readings[missing]!.hour + hourSeconds;
    await save(snapshotsOf(missing === -1 ? readings : readings.slice(0, missing)), vaults, { from: oldest });
    if (missing === -1) return;
    stateBegins = Math.max(stateBegins, oldest);
    const since = new Date(oldest * 1_000).toISOString();
    logger.warn({ chain, since }, 'no node has older state: history begins here');
  };

  /**
   * After a chart responds with snapshots, all hours since `start` count as read, also those it lacks. The chart of a
   * vault without any is requested again by the next process.
   */
  const readChart = async (vault: TrackedVault, start: number, signal: AbortSignal): Promise<void> => {
    exhausted.set(vault.id, Infinity);
    if (!chartOf) return;
    try {
      const snapshots = await chartOf(vault, start);
      if (snapshots.length > 0) await save(snapshots, [vault], { from: start });
    } catch (err) {
      signal.throwIfAborted();
      exhausted.set(vault.id, performance.now() + chartRetryMs);
      logger.warn({ chain, vault: vault.vaultId, err }, 'the chart is down: requested again in an hour');
    }
  };

  const hoursLeft = (vaults: readonly TrackedVault[], start: number): number =>
    vaults.reduce((sum, vault) => sum + Math.max(0, rangeOf(vault).from - Math.max(start, stateBegins)), 0) /
    hourSeconds;

  return {
    loadCoverage: async (vaults) => {
      for (const { vault, from, until } of await store.coverage(vaults.map(({ id }) => id)))
        covered.set(vault, { from, until });
    },

    catchUp: async (vaults, view, signal) => {
      const end = floorHour(view.finalTime);
      // A new vault begins now. So does a vault whose last read is older than the backfill.
      for (const { id } of vaults)
        if ((covered.get(id)?.until ?? -Infinity) <= startOf(view))
          covered.set(id, { from: end, until: end });
      for (const [until, group] of groupBy(vaults, (vault) => rangeOf(vault).until))
        await readForward(group, until, view, signal);
    },

    goBack: async (vaults, view, hasTime, signal) => {
      const start = startOf(view);
      for (;;) {
        const open = vaults.filter(
          (vault) => rangeOf(vault).from > start && !((exhausted.get(vault.id) ?? 0) > performance.now()),
        );
        // Newest first. A vault that joined later catches up, and is then read together with the others.
        const [group] = [...groupBy(open, (vault) => rangeOf(vault).from)].sort(([a], [b]) => b - a);
        if (!group) return true;
        if (!hasTime()) return false;
        const [from, members] = group;
        const begun = performance.now();
        const before = hoursLeft(open, start);
        if (from > stateBegins) await readBack(members, from, start, view, signal);
        else await readChart(members[0]!, start, signal);
        const left = hoursLeft(open, start);
        progress.advance(before - left, performance.now() - begun, left);
      }
    },
  };
}

/** Vaults with the same coverage are read together. */
function groupBy(
  vaults: readonly TrackedVault[],
  keyOf: (vault: TrackedVault) => number,
): Map<number, TrackedVault[]> {
  const groups = new Map<number, TrackedVault[]>();
  for (const vault of vaults) {
    const group = groups.get(keyOf(vault));
    if (group) group.push(vault);
    else groups.set(keyOf(vault), [vault]);
  }
  return groups;
}
