import { createFunder } from '../funding/create-funder.js';
import type { LaunchedFork } from '../ports.js';
import type { Fork, ForkChain, ForkKind, ForkRecord, ForkStatus } from '../types.js';

/** What a manager knows of a fork beside what the fork can do. */
export interface ManagedForkOptions {
  readonly launched: LaunchedFork;
  readonly chain: ForkChain;
  readonly id: string;
  readonly kind: ForkKind;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Told before and after every use. */
  readonly onUse?: () => void;
  /** Told of blocks that are mined through this fork. */
  readonly expectBlocks?: (blocks: number) => () => void;
  /** Told of blocks that others may get mined. */
  readonly announceBlocks?: (blocks: number) => () => void;
}

// Configuring a minter, minting, and what the other ways of getting USDC take.
const mostBlocksOfFunding = 8;
const miningMethod = /mine|send/i;

/** Give a launched fork its record and its funding. Its status follows the fork. */
export function createManagedFork(options: ManagedForkOptions): Fork {
  const { launched, chain, id, kind, createdAt, onUse, expectBlocks, announceBlocks } = options;
  let status: ForkStatus = 'running';
  void launched.ended.then(() => {
    status = 'failed';
  });
  const fundWallet = createFunder(launched, chain);
  const used =
    <Arguments extends unknown[], Result>(
      act: (...args: Arguments) => Promise<Result>,
      blocksOf: (...args: Arguments) => number = () => 0,
    ) =>
    async (...args: Arguments): Promise<Result> => {
      onUse?.();
      const settle = expectBlocks?.(blocksOf(...args));
      return act(...args).finally(() => {
        settle?.();
        onUse?.();
      });
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
    ...(announceBlocks && { expectBlocks: announceBlocks }),
    request: used(launched.request, (method) => (miningMethod.test(method) ? 1 : 0)),
    sendAs: used(launched.sendAs, () => 1),
    fund: used(fundWallet, () => mostBlocksOfFunding),
    mine: used(launched.mine, (blocks) => blocks),
    increaseTime: used(launched.increaseTime, () => 1),
    snapshot: used(launched.snapshot),
    revert: used(launched.revert),
  };
}

/** Reduce a fork to what is known about it without asking it. */
export function recordOf(fork: Fork): ForkRecord {
  const { id, kind, chain, chainId, status, forkBlock, createdAt } = fork;
  return { id, kind, chain, chainId, status, forkBlock, createdAt };
}
