import { maxBigInt } from '@yield-vault/protocol';
import type { Fork, ForkRecord } from '../../types.js';
import { asForkError, managerClosed, type Capacity } from '../capacity.js';
import { recordOf } from '../fork/as-fork.js';
import { launchPersistentFork, type PersistentForkOptions } from './launch-persistent-fork.js';
import type { RunningFork } from './run-persistent-fork.js';

/** Holds the one persistent fork of a chain. */
export interface PersistentSlot {
  /** Get the fork. It is made on first use, and again when it is gone. */
  use(): Promise<Fork>;
  /** The fork, if it runs. */
  current(): Fork | undefined;
  /** The record of the fork, also while it starts or after it failed. */
  record(): ForkRecord | undefined;
  /** Destroy the fork and its saved state. */
  evict(): Promise<void>;
  /** Save the fork's state and stop it. The slot cannot be used again. */
  close(): Promise<void>;
}

/** Make the slot of a chain. The first use makes the fork. */
export function createPersistentSlot(options: PersistentForkOptions, capacity: Capacity): PersistentSlot {
  const { store, logger, now } = options;
  const { key: chain, chainId } = options.chain;
  const closing = new AbortController();
  let running: RunningFork | undefined;
  let creating: Promise<Fork> | undefined;
  let evicting: Promise<void> | undefined;
  let release: (() => void) | undefined;
  let idle: ForkRecord | undefined;
  let highest = 0n;

  const use = async (): Promise<Fork> => {
    // The old fork still holds the place, and its saved state is not removed yet.
    while (evicting) await evicting.catch(() => undefined);
    if (closing.signal.aborted) throw managerClosed(chain);
    if (running) return running.fork;
    creating ??= create().finally(() => {
      creating = undefined;
    });
    return creating;
  };

  const create = async (): Promise<Fork> => {
    release ??= capacity.take();
    idle = {
      id: `${chain}-starting`,
      kind: 'persistent',
      chain,
      chainId,
      status: 'starting',
      forkBlock: 0n,
      createdAt: now(),
    };
    try {
      const launch = { ...options, highest, signal: closing.signal };
      return adopt(await launchPersistentFork(launch));
    } catch (error) {
      idle = { ...idle, status: 'failed' };
      releaseCapacity();
      logger.error({ chain, err: error }, 'the persistent fork could not be made');
      throw asForkError(error, chain);
    }
  };

  const adopt = (started: RunningFork): Fork => {
    running = started;
    idle = undefined;
    const { id, forkBlock } = started.fork;
    logger.info({ chain, forkId: id, forkBlock: String(forkBlock) }, 'the persistent fork runs');
    void started.ended.then((reason) => {
      logger.warn({ chain, forkId: id, reason }, 'the persistent fork ended');
      if (running !== started) return;
      forget(started, 'failed');
      releaseCapacity();
    });
    return started.fork;
  };

  const forget = (gone: RunningFork, status: 'failed' | 'stopped'): void => {
    highest = maxBigInt(highest, gone.head());
    running = undefined;
    idle = { ...recordOf(gone.fork), status };
  };
  const stop = async (gone: RunningFork, saveFirst = false): Promise<void> => {
    await gone.stop({ saveFirst }).catch((error: unknown) => {
      logger.warn({ chain, forkId: gone.fork.id, err: error }, 'a fork could not be stopped');
    });
  };
  /** Stop the fork if there is one, also one that is being made. */
  const stopCurrent = async (saveFirst = false): Promise<void> => {
    await creating?.catch(() => undefined);
    const current = running;
    if (current) {
      forget(current, 'stopped');
      await stop(current, saveFirst);
    }
    releaseCapacity();
  };
  const releaseCapacity = (): void => {
    release?.();
    release = undefined;
  };
  const evict = async (): Promise<void> => {
    await stopCurrent();
    await store?.remove(chain);
  };

  return {
    use,
    current: () => running?.fork,
    record: () => (running ? recordOf(running.fork) : idle),
    async evict() {
      evicting ??= evict().finally(() => {
        evicting = undefined;
      });
      return evicting;
    },
    async close() {
      closing.abort();
      await stopCurrent(true);
    },
  };
}
