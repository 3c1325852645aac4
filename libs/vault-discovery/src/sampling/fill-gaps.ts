import pLimit from 'p-limit';
import type { PublicClient } from 'viem';
import { createBlockFinder, type BlockFinder, type Header } from '../chain/block-finder.js';
import { isMissingState } from '../chain/read-contracts.js';
import { planSample, sampleBlock, type SamplePlan, type TrackedVault } from '../chain/sample-block.js';
import { hourSeconds } from '../metrics/statistics.js';
import type { Coverage, LoggerPort, Snapshot, SnapshotStore } from '../ports.js';

const hoursPerSave = 48;
const concurrency = 12;
/** An hour counts as over once the head is this far behind it, so that a short reorganisation cannot change it. */
const settleSeconds = 120;

export interface FillGaps {
  readonly rpc: PublicClient;
  readonly chain: string;
  readonly vaults: readonly TrackedVault[];
  readonly store: SnapshotStore;
  readonly head: Header;
  readonly backfillHours: number;
  readonly batchSize: number;
  readonly logger: LoggerPort;
  readonly signal: AbortSignal;
}

/**
 * Read every complete hour that was not read yet, each at its last block: first what was missed since the last
 * time, oldest first, then what lies further back, newest first. Progress is saved every two days of chain time,
 * so an interruption costs little.
 *
 * @returns what was read, and the newest block it was read from
 */
export async function fillGaps(
  work: FillGaps,
): Promise<{ readonly snapshots: readonly Snapshot[]; readonly newest: Header | undefined }> {
  const { vaults, store, head } = work;
  const end = floorHour(head.t - settleSeconds);
  const start = end - work.backfillHours * hourSeconds;
  const stored = new Map(
    (await store.coverage(vaults.map(({ id }) => id))).map((each) => [each.vault, each]),
  );
  const finder = createBlockFinder(work.rpc, head);
  const snapshots: Snapshot[] = [];
  let newest: Header | undefined;

  for (const group of groupByCoverage(vaults, stored, start, end)) {
    let { from, until } = group;
    const total = (end - until + Math.max(0, from - start)) / hourSeconds;
    let done = 0;
    const plan = planSample(group.vaults, work.batchSize);
    const read = async (hours: readonly number[]) => {
      const samples = await readHours(work, finder, plan, hours);
      if (samples === 'missing-state') return false;
      for (const { header, snapshots: found } of samples) {
        snapshots.push(...found);
        if (!newest || header.number > newest.number) newest = header;
      }
      from = Math.min(from, ...hours);
      until = Math.max(until, ...hours.map((hour) => hour + hourSeconds));
      await store.save(
        samples.flatMap((sample) => sample.snapshots),
        group.vaults.map(({ id }) => ({ vault: id, from, until })),
      );
      done += hours.length;
      if (total > hoursPerSave) work.logger.info({ chain: work.chain, done, total }, 'reading past hours');
      return true;
    };
    for (const hours of chunks(hoursBetween(until, end))) await read(hours);
    for (const hours of chunks(hoursBetween(start, from).reverse())) {
      if (await read(hours)) continue;
      work.logger.warn({ chain: work.chain, from }, 'the node has no older state: history begins here');
      // Counts as read: asking again would give the same answer.
      await store.save(
        [],
        group.vaults.map(({ id }) => ({ vault: id, from: start, until })),
      );
      break;
    }
  }
  return { snapshots, newest };
}

async function readHours(
  { rpc, signal }: FillGaps,
  finder: BlockFinder,
  plan: SamplePlan,
  hours: readonly number[],
): Promise<{ header: Header; snapshots: Snapshot[] }[] | 'missing-state'> {
  const limit = pLimit(concurrency);
  const readHour = async (hour: number) => {
    signal.throwIfAborted();
    const header = await finder.lastBefore(hour + hourSeconds);
    // No block fell into this hour.
    if (!header || header.t < hour) return [];
    return [{ header, snapshots: await sampleBlock(rpc, plan, header) }];
  };
  try {
    return (await Promise.all(hours.map((hour) => limit(readHour, hour)))).flat();
  } catch (error) {
    limit.clearQueue();
    if (isMissingState(error)) return 'missing-state';
    throw error;
  }
}

/** Vaults whose samples reach equally far are read together. */
function groupByCoverage(
  vaults: readonly TrackedVault[],
  stored: ReadonlyMap<number, Coverage>,
  start: number,
  end: number,
): { from: number; until: number; vaults: TrackedVault[] }[] {
  const groups = new Map<string, { from: number; until: number; vaults: TrackedVault[] }>();
  for (const vault of vaults) {
    const coverage = stored.get(vault.id);
    const isUsable = coverage && coverage.until > start && coverage.until <= end;
    const { from, until } = isUsable ? coverage : { from: end, until: end };
    const key = `${from} ${until}`;
    const group = groups.get(key) ?? { from, until, vaults: [] };
    group.vaults.push(vault);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const floorHour = (t: number): number => t - (t % hourSeconds);

function hoursBetween(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, (end - start) / hourSeconds) }, (_, i) => start + i * hourSeconds);
}

function chunks(hours: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(hours.length / hoursPerSave) }, (_, index) =>
    hours.slice(index * hoursPerSave, (index + 1) * hoursPerSave),
  );
}
