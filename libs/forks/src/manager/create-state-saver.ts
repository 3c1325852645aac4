import type { ForkLogger } from '../ports.js';
import type { ForkChain } from '../types.js';
import type { StateStore } from './create-state-store.js';
import type { ReadyFork } from './launch-persistent-fork.js';

/** Saves the state of a running fork a while after it changed. */
export interface StateSaver {
  markChanged(): void;
  /** Save now, as the last thing that happens to the fork. */
  complete(): Promise<void>;
  /** Save no more. */
  stop(): Promise<void>;
}

const debounceMs = 5_000;
// The longer a fork lives, the longer it takes: saving is to stay a small part of what Anvil does.
const pausePerSaving = 20;

/** Make the saver of a fork. What goes wrong is logged: the fork is worth more than its copy. */
export function createStateSaver({
  chain,
  ready,
  store,
  head,
  logger,
}: {
  readonly chain: Pick<ForkChain, 'key' | 'chainId'>;
  readonly ready: ReadyFork;
  readonly store: StateStore;
  /** The highest block number that was shown. */
  readonly head: () => bigint;
  readonly logger: ForkLogger;
}): StateSaver {
  const { launched, id, createdAt, forkBlockHash } = ready;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let pauseMs = debounceMs;
  let saving: Promise<void> = Promise.resolve();

  const save = async (isComplete: boolean): Promise<void> => {
    const started = performance.now();
    try {
      const state = await launched.dumpState?.();
      if (state === undefined) return;
      const { chainId } = chain;
      const { forkBlock } = launched;
      const fork = { chainId, id, createdAt, forkBlock, forkBlockHash, head: head(), isComplete, state };
      await store.write(chain.key, fork);
    } catch (error) {
      logger.warn({ chain: chain.key, forkId: id, err: error }, 'the state of a fork could not be saved');
    }
    pauseMs = Math.max(debounceMs, pausePerSaving * (performance.now() - started));
  };
  const stop = async (): Promise<void> => {
    isStopped = true;
    clearTimeout(timer);
    await saving;
  };

  return {
    stop,
    markChanged() {
      if (isStopped) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        saving = saving.then(() => save(false));
      }, pauseMs).unref();
    },
    async complete() {
      await stop();
      await save(true);
    },
  };
}
