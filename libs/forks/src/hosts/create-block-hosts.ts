import type { LaunchedFork } from '../ports.js';
import type { BlockRef } from '../types.js';
import type { SpareHost } from './start-spare-host.js';

// Below the 20 s that Anvil waits for its first answer, and long enough for the next block of a slow chain.
const spareIdleMs = 15_000;
// By then the simulation on the new block is over: starting and ending other processes would have slowed it down.
const restMs = 250;

/** The hosts of a chain: one process for each block that somebody uses. */
export interface BlockHosts {
  /** Start a spare host, unless one waits: the next block may be one that has none. */
  prepare(): void;
  /** Take part in the host of a block; it starts at once. */
  lease(block: BlockRef): HostLease;
  stats(): HostStats;
  /** End every host. */
  close(): Promise<void>;
}

export interface HostStats {
  readonly running: number;
  /** Since the start, those that failed to start included. */
  readonly started: number;
  /** Ended without being told to, or discarded. */
  readonly lost: number;
}

/** The right to use the host of a block. */
export interface HostLease {
  /**
   * The host; a new one when the last one is gone.
   *
   * @throws {ForkNotRunningError} it could not be started; retryable
   */
  host(): Promise<LaunchedFork>;
  /** End a host that does not do what it should; whoever else uses it asks for a new one too. */
  discard(host: LaunchedFork): void;
  /** Give it back, once. */
  release(): void;
}

interface BlockEntry {
  readonly block: BlockRef;
  leases: number;
  starting?: Promise<LaunchedFork>;
  running?: LaunchedFork;
  idle?: NodeJS.Timeout;
}

/**
 * Keep the hosts of a chain. A host is never moved to another block. It ends when nobody uses it and a newer block was
 * asked for, or after `idleMs` without use.
 */
export function createBlockHosts(options: {
  readonly start: (block: BlockRef) => Promise<LaunchedFork>;
  readonly startSpare: () => SpareHost;
  readonly idleMs: number;
}): BlockHosts {
  const { start, startSpare, idleMs } = options;
  const entries = new Map<string, BlockEntry>();
  const ending = new Set<Promise<void>>();
  const counted = { started: 0, lost: 0 };
  let newest: BlockEntry | undefined;
  let spare: { readonly host: SpareHost; readonly idle: NodeJS.Timeout } | undefined;
  let resting: NodeJS.Timeout | undefined;

  const prepare = (): void => {
    if (spare) return;
    spare = { host: startSpare(), idle: setTimeout(endSpare, spareIdleMs).unref() };
  };
  const prepareLater = (): void => {
    clearTimeout(resting);
    resting = setTimeout(prepare, restMs).unref();
  };
  const takeSpare = (): SpareHost | undefined => {
    const taken = spare;
    clearTimeout(taken?.idle);
    spare = undefined;
    return taken?.host;
  };
  const startAt = (block: BlockRef): Promise<LaunchedFork> => {
    const taken = takeSpare();
    if (!taken) return start(block);
    // Who needed this block may soon need the next one.
    prepareLater();
    // A spare that did not last costs no more than none.
    return taken.pin(block).catch(() => start(block));
  };

  const untilEnded = (work: Promise<void>): void => {
    const ended: Promise<void> = work
      .catch(() => undefined) // It did not start.
      .finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const end = (host: Promise<LaunchedFork>): void => untilEnded(host.then((fork) => fork.destroy()));
  const endSpare = (): void => {
    const taken = takeSpare();
    if (taken) untilEnded(taken.end());
  };

  const hostOf = (entry: BlockEntry): Promise<LaunchedFork> => {
    if (entry.starting) return entry.starting;
    counted.started += 1;
    const starting = startAt(entry.block);
    entry.starting = starting;
    const lose = (): void => {
      if (entry.starting !== starting) return;
      counted.lost += 1;
      entry.starting = entry.running = undefined;
    };
    starting.then((fork) => {
      if (entry.starting === starting) entry.running = fork;
      void fork.ended.then(lose);
    }, lose);
    return starting;
  };

  const retire = (entry: BlockEntry): void => {
    clearTimeout(entry.idle);
    if (entries.get(entry.block.hash) === entry) entries.delete(entry.block.hash);
    if (newest === entry) newest = undefined;
    const { starting } = entry;
    entry.starting = entry.running = undefined;
    if (starting) end(starting);
  };

  const settle = (entry: BlockEntry): void => {
    if (entry.leases > 0) return;
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => retire(entry), entry === newest ? idleMs : restMs).unref();
  };

  const enter = (block: BlockRef): BlockEntry => {
    const entry = entries.get(block.hash) ?? { block, leases: 0 };
    entries.set(block.hash, entry);
    clearTimeout(entry.idle);
    entry.leases += 1;
    const previous = newest;
    // Of two blocks with one number, the one that was named last belongs to the chain.
    if (!previous || block.number >= previous.block.number) newest = entry;
    if (previous && previous !== newest) settle(previous);
    return entry;
  };

  return {
    prepare,
    lease(block) {
      const entry = enter(block);
      hostOf(entry).catch(() => undefined); // Whoever needs it asks again.
      return {
        host: () => hostOf(entry),
        discard(fork) {
          if (entry.running === fork) {
            counted.lost += 1;
            entry.starting = entry.running = undefined;
          }
          end(Promise.resolve(fork));
        },
        release() {
          entry.leases -= 1;
          settle(entry);
        },
      };
    },
    stats: () => ({
      running: [...entries.values()].filter(({ running }) => running !== undefined).length,
      ...counted,
    }),
    async close() {
      clearTimeout(resting);
      endSpare();
      for (const entry of entries.values()) retire(entry);
      await Promise.all(ending);
    },
  };
}
