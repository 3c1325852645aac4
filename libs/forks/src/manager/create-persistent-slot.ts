import type { ForkLauncher, ForkLogger } from '../ports.js';
import type { Fork, ForkChain, ForkRecord } from '../types.js';
import type { Capacity } from './create-capacity.js';
import { recordOf } from './create-managed-fork.js';
import type { StateStore } from './create-state-store.js';
import { asForkError, providerClosed } from './fork-errors.js';
import { launchPersistentFork } from './launch-persistent-fork.js';
import { runPersistentFork, type RunningFork } from './run-persistent-fork.js';

export interface PersistentSlotOptions {
  readonly chain: ForkChain;
  readonly launcher: ForkLauncher;
  readonly store: StateStore | undefined;
  readonly capacity: Capacity;
  /** Older ones are replaced; infinite for never. */
  readonly maxAgeMs: number;
  readonly logger: ForkLogger;
  readonly now: () => number;
}

/** The place of the one persistent fork of a chain. */
export interface PersistentSlot {
  /** The fork, made on first use and again when it is gone or too old. */
  use(): Promise<Fork>;
  /** The fork, if it runs. */
  current(): Fork | undefined;
  /** What is known of the fork, also of one that is being made or that failed. */
  record(): ForkRecord | undefined;
  /** End the fork and forget its state. */
  evict(): Promise<void>;
  /** Save the fork's state and end it, for good. */
  close(): Promise<void>;
}

const replacementPauseMs = 30_000;

/** Make the place of a persistent fork; the fork comes with the first use. */
export function createPersistentSlot(options: PersistentSlotOptions): PersistentSlot {
  const { chain, launcher, store, capacity, maxAgeMs, logger, now } = options;
  const closing = new AbortController();
  let running: RunningFork | undefined;
  let creating: Promise<Fork> | undefined;
  let giveBack: (() => void) | undefined;
  let idle: ForkRecord | undefined;
  let highest = 0n;
  let replaceAfter = 0;

  const use = async (): Promise<Fork> => {
    if (closing.signal.aborted) throw providerClosed(chain.key);
    if (running && !isDue(running.fork)) return running.fork;
    creating ??= (running ? replace(running) : create()).finally(() => {
      creating = undefined;
    });
    return creating;
  };
  const isDue = ({ createdAt }: Fork): boolean => now() - createdAt > maxAgeMs && now() >= replaceAfter;

  const create = async (): Promise<Fork> => {
    giveBack ??= capacity.take();
    idle = startingRecord(chain, now());
    try {
      return start(await launch({ takeUp: true }));
    } catch (error) {
      idle = { ...idle, status: 'failed' };
      leavePlace();
      logger.error({ chain: chain.key, err: error }, 'the persistent fork could not be made');
      throw asForkError(error, chain.key);
    }
  };

  /** The old one serves on when there cannot be a new one. */
  const replace = async (old: RunningFork): Promise<Fork> => {
    try {
      const ready = await launch({ takeUp: false });
      // Gone already when it died meanwhile.
      if (running === old) forget(old, 'stopped');
      const fork = start(ready);
      await end(old);
      return fork;
    } catch (error) {
      replaceAfter = now() + replacementPauseMs;
      logger.warn(
        { chain: chain.key, err: error },
        'a persistent fork that is too old could not be replaced',
      );
      if (running) return running.fork;
      leavePlace();
      throw asForkError(error, chain.key);
    }
  };

  const launch = ({ takeUp }: { takeUp: boolean }) =>
    launchPersistentFork({
      ...{ chain, launcher, now, takeUp, store, maxAgeMs },
      highest: highestHead(),
      signal: closing.signal,
    });

  const start = (ready: Awaited<ReturnType<typeof launch>>): Fork => {
    const started = runPersistentFork(ready, { chain, launcher, store, logger });
    running = started;
    idle = undefined;
    const { id, forkBlock } = started.fork;
    logger.info({ chain: chain.key, forkId: id, forkBlock: String(forkBlock) }, 'the persistent fork runs');
    void started.ended.then((reason) => {
      logger.warn({ chain: chain.key, forkId: id, reason }, 'the persistent fork ended');
      if (running !== started) return;
      forget(started, 'failed');
      // One that is being made takes the place.
      if (!creating) leavePlace();
    });
    return started.fork;
  };

  const highestHead = (): bigint => {
    const head = running?.head() ?? 0n;
    return head > highest ? head : highest;
  };
  const forget = (gone: RunningFork, status: 'failed' | 'stopped'): void => {
    highest = highestHead();
    running = undefined;
    idle = { ...recordOf(gone.fork), status };
  };
  const leave = async (left: RunningFork, how?: Parameters<RunningFork['stop']>[0]): Promise<void> => {
    forget(left, 'stopped');
    await end(left, how);
  };
  const end = async (gone: RunningFork, how?: Parameters<RunningFork['stop']>[0]): Promise<void> => {
    await gone.stop(how).catch((error: unknown) => {
      logger.warn({ chain: chain.key, forkId: gone.fork.id, err: error }, 'a fork could not be ended');
    });
  };
  const leavePlace = (): void => {
    giveBack?.();
    giveBack = undefined;
  };

  return {
    use,
    current: () => running?.fork,
    record: () => (running ? recordOf(running.fork) : idle),
    async evict() {
      await creating?.catch(() => undefined);
      if (running) await leave(running);
      leavePlace();
      await store?.remove(chain.key);
    },
    async close() {
      closing.abort();
      await creating?.catch(() => undefined);
      if (running) await leave(running, { saveFirst: true });
      leavePlace();
    },
  };
}

function startingRecord({ key, chainId }: ForkChain, createdAt: number): ForkRecord {
  return {
    id: `${key}-starting`,
    kind: 'persistent',
    chain: key,
    chainId,
    status: 'starting',
    forkBlock: 0n,
    createdAt,
  };
}
