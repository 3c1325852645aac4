import { createFunder } from '../funding/create-funder.js';
import type { ForkLogger, LaunchedFork } from '../ports.js';
import type { Fork, ForkChain, ForkKind, ForkRecord, ForkStatus } from '../types.js';
import { createStateSaver, type StateStore } from './fork-state.js';
import type { ReadyFork } from './launch-persistent-fork.js';
import { unseenBlocks, watchBlocks } from './watch-blocks.js';

/** Give a launched fork its record and its funding. Its status follows the process. */
export function createFork({
  launched,
  chain,
  id,
  kind,
  createdAt,
  onUse,
  afterUse,
}: {
  readonly launched: LaunchedFork;
  readonly chain: ForkChain;
  readonly id: string;
  readonly kind: ForkKind;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Called before and after every use. */
  readonly onUse: () => void;
  /** Awaited after every use that succeeds. */
  readonly afterUse?: () => Promise<void>;
}): Fork {
  let status: ForkStatus = 'running';
  void launched.ended.then(() => {
    status = 'failed';
  });
  const used =
    <Arguments extends unknown[], Result>(act: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      onUse();
      try {
        const result = await act(...args);
        await afterUse?.();
        return result;
      } finally {
        onUse();
      }
    };
  return {
    id,
    kind,
    chain: chain.key,
    chainId: chain.chainId,
    forkBlock: launched.forkBlock,
    createdAt,
    rpcUrl: launched.rpcUrl,
    get status() {
      return status;
    },
    request: used(launched.request),
    fund: used(createFunder(launched, chain)),
    mine: used(launched.mine),
  };
}

/** Reduce a fork to its record. */
export function recordOf(fork: Fork): ForkRecord {
  const { id, kind, chain, chainId, status, forkBlock, createdAt } = fork;
  return { id, kind, chain, chainId, status, forkBlock, createdAt };
}

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
  ready: ReadyFork,
  {
    chain,
    store,
    logger,
  }: {
    readonly chain: ForkChain;
    readonly store: StateStore | undefined;
    readonly logger: ForkLogger;
  },
): RunningFork {
  const { launched, id, createdAt, forkBlockHash } = ready;
  const saver =
    store &&
    createStateSaver({
      chain: chain.key,
      facts: { chainId: chain.chainId, id, createdAt, forkBlock: launched.forkBlock, forkBlockHash },
      dumpState: () => launched.dumpState(),
      head: () => blocks.head(),
      ...{ store, logger },
    });
  const onWrite = (): void => saver?.markChanged();
  const blocks = watchBlocks(launched, { start: ready.head, onWrite });
  // Provisioning changed the state, too.
  onWrite();

  void launched.ended.then(async () => {
    blocks.stop();
    await saver?.stop();
  });
  return {
    fork: createFork({
      ...{ launched, chain, id, kind: 'persistent', createdAt },
      onUse: onWrite,
      afterUse: () => blocks.poll(),
    }),
    head: () => blocks.head() + unseenBlocks,
    ended: launched.ended,
    async stop({ saveFirst = false } = {}) {
      blocks.stop();
      await (saveFirst ? saver?.complete() : saver?.stop());
      await launched.destroy();
    },
  };
}
