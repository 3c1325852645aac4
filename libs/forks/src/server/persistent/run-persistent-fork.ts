import type { LoggerPort } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { Fork, ForkChain } from '../../types.js';
import { asFork } from '../fork/as-fork.js';
import type { AnvilFork } from '../fork/create-anvil-fork.js';
import { createStateSaver, type StateStore } from './fork-state.js';
import { unseenBlocks, watchBlocks } from './watch-blocks.js';

/** A persistent fork with idle blocks, whose state is saved. */
export interface RunningFork {
  readonly fork: Fork;
  /** The highest block number that clients may have seen. */
  head(): bigint;
  /** Resolves with a reason when the fork ends by itself. */
  readonly ended: Promise<string>;
  stop(options?: { readonly saveFirst?: boolean }): Promise<void>;
}

/** Run a persistent fork: mine idle blocks and save its state. */
export function runPersistentFork(
  anvil: AnvilFork,
  facts: {
    readonly id: string;
    /** Unix milliseconds. */
    readonly createdAt: number;
    readonly forkBlockHash: Hex;
    /** The present block number. */
    readonly head: bigint;
  },
  on: {
    readonly chain: ForkChain;
    readonly store: StateStore | undefined;
    readonly logger: LoggerPort;
  },
): RunningFork {
  const { chain, store, logger } = on;
  const { id, createdAt, forkBlockHash, head } = facts;
  const saver =
    store &&
    createStateSaver({
      chain: chain.key,
      facts: { chainId: chain.chainId, id, createdAt, forkBlock: anvil.forkBlock, forkBlockHash },
      dumpState: async () => (await anvil.request('anvil_dumpState')) as Hex,
      store,
      head: () => blocks.head(),
      logger,
    });
  const onUse = (): void => saver?.markChanged();
  const blocks = watchBlocks(anvil, { start: head, onWrite: onUse });
  // Provisioning changed the state, too.
  onUse();

  void anvil.ended.then(async () => {
    blocks.stop();
    await saver?.stop();
  });
  return {
    fork: asFork(anvil, { chain, id, kind: 'persistent', createdAt, onUse, afterUse: () => blocks.poll() }),
    head: () => blocks.head() + unseenBlocks,
    ended: anvil.ended,
    async stop({ saveFirst = false } = {}) {
      blocks.stop();
      await (saveFirst ? saver?.complete() : saver?.stop());
      await anvil.destroy();
    },
  };
}
