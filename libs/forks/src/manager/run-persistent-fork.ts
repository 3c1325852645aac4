import type { ForkLauncher, ForkLogger } from '../ports.js';
import type { Fork, ForkChain } from '../types.js';
import { createManagedFork } from './create-managed-fork.js';
import { createStateSaver } from './create-state-saver.js';
import type { StateStore } from './create-state-store.js';
import { keepBlocksComing } from './keep-blocks-coming.js';
import type { ReadyFork } from './launch-persistent-fork.js';

/** A persistent fork whose blocks come and whose state is saved. */
export interface RunningFork {
  readonly fork: Fork;
  /** The highest block number that it has shown. */
  head(): bigint;
  /** Resolves with a reason when it ends by itself. */
  readonly ended: Promise<string>;
  /** End it. */
  stop(options?: { readonly saveFirst?: boolean }): Promise<void>;
}

/** Let a fork live: give it blocks, and save what changes. */
export function runPersistentFork(
  ready: ReadyFork,
  {
    chain,
    launcher,
    store,
    logger,
  }: {
    readonly chain: ForkChain;
    readonly launcher: Pick<ForkLauncher, 'kind'>;
    readonly store: StateStore | undefined;
    readonly logger: ForkLogger;
  },
): RunningFork {
  const { launched, id, createdAt } = ready;
  const saver =
    store && launched.dumpState
      ? createStateSaver({ chain, ready, store, head: () => blocks.head(), logger })
      : undefined;
  const onWrite = (): void => saver?.markChanged();
  const blocks = keepBlocksComing(launched, {
    start: ready.head,
    // Where each request and block is billed, clients have to do with fewer.
    isBilled: launcher.kind !== 'anvil',
    onWrite,
  });
  // What making it ready changed is worth keeping too.
  onWrite();

  const stopWork = async (): Promise<void> => {
    blocks.stop();
    await saver?.stop();
  };
  void launched.ended.then(stopWork);
  return {
    fork: createManagedFork({
      ...{ launched, chain, id, kind: 'persistent', createdAt },
      onUse: onWrite,
      expectBlocks: (count) => blocks.expect(count),
      announceBlocks: (count) => blocks.announce(count),
    }),
    head: () => blocks.head(),
    ended: launched.ended,
    async stop({ saveFirst = false } = {}) {
      blocks.stop();
      await (saveFirst ? saver?.complete() : saver?.stop());
      await (saveFirst && launched.detach ? launched.detach() : launched.destroy());
    },
  };
}
