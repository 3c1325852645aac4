import type { Hex } from 'viem';
import type { LaunchedFork } from '../ports.js';

const tickMs = 1_000;
const billedTickMs = 60_000;
const idleBlockMs = 15_000;

/** What is seen of a fork while its blocks are kept coming. */
export interface BlockWatch {
  /** The highest block number that somebody may have seen. */
  head(): bigint;
  /**
   * Count blocks that are about to be mined, so that the head is right between two looks.
   *
   * @returns to be called when they are mined, or never will be
   */
  expect(blocks: number): () => void;
  stop(): void;
}

/**
 * Look at the head of a fork again and again, and mine an empty block every 15 seconds, so that yield accrues and
 * clients see the time pass.
 */
export function keepBlocksComing(
  fork: Pick<LaunchedFork, 'request' | 'mine'>,
  {
    start,
    isBilled,
    onWrite,
  }: {
    /** The head now. */
    readonly start: bigint;
    /** Every request costs: look seldom, and mine nothing. */
    readonly isBilled: boolean;
    /** Told when blocks of others are there. */
    readonly onWrite: () => void;
  },
): BlockWatch {
  let highest = start;
  let last = start;
  let lastSlot = currentSlot();
  let isStopped = false;
  let timer: NodeJS.Timeout;
  // Blocks expected since the last look but one: a node may take a transaction before it has mined it, so that a look
  // right after its answer misses it.
  let coming = 0;
  let come = 0;
  let comeBeforeLook = 0;

  const expect = (blocks: number): (() => void) => {
    coming += blocks;
    return () => {
      coming -= blocks;
      come += blocks;
    };
  };
  const see = (number: bigint): void => {
    last = number;
    if (number > highest) highest = number;
  };
  const tick = async (): Promise<void> => {
    const comeNow = come;
    const number = BigInt((await fork.request('eth_blockNumber')) as Hex);
    if (number !== last) onWrite();
    see(number);
    come -= comeBeforeLook;
    comeBeforeLook = comeNow - comeBeforeLook;
    const slot = currentSlot();
    if (slot === lastSlot || isStopped || isBilled) return;
    lastSlot = slot;
    await fork.mine(1).finally(expect(1));
    // A transaction between the two calls shows as one block more at the next tick.
    see(number + 1n);
  };
  const schedule = (): void => {
    timer = setTimeout(run, isBilled ? billedTickMs : tickMs).unref();
  };
  const run = (): void => {
    // That a fork does not answer is noticed elsewhere.
    void tick()
      .catch(() => undefined)
      .then(() => {
        if (!isStopped) schedule();
      });
  };
  schedule();
  return {
    head() {
      const expected = last + BigInt(coming + come);
      return expected > highest ? expected : highest;
    },
    expect,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function currentSlot(): number {
  return Math.floor(Date.now() / idleBlockMs);
}
