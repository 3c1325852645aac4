import type { Hex } from 'viem';
import type { AnvilFork } from '../fork/create-anvil-fork.js';

const tickMs = 1_000;
const idleBlockMs = 15_000;

/**
 * Most blocks that clients may have seen and this process has not: those since the last poll or the last saving. A
 * recreated fork mines as many, so that its numbers go on. A thousand take 0.2 s.
 */
export const unseenBlocks = 1_000n;

/** Polls the block number of a fork. */
export interface BlockWatch {
  /** The highest block number that was seen. */
  head(): bigint;
  /** Poll now. */
  poll(): Promise<void>;
  stop(): void;
}

/**
 * Poll the block number of a fork every second, and mine an empty block every 15 seconds. Idle blocks let yield accrue
 * and show clients that time passes.
 *
 * @param options.start The present block number.
 * @param options.onWrite Called when there are new blocks.
 */
export function watchBlocks(
  fork: Pick<AnvilFork, 'request' | 'mine'>,
  { start, onWrite }: { readonly start: bigint; readonly onWrite: () => void },
): BlockWatch {
  let highest = start;
  let last = start;
  let lastSlot = currentSlot();
  let isStopped = false;
  let timer: NodeJS.Timeout;

  const see = (number: bigint): void => {
    last = number;
    if (number > highest) highest = number;
  };
  const poll = async (): Promise<void> => {
    const number = BigInt((await fork.request('eth_blockNumber')) as Hex);
    if (number !== last) onWrite();
    see(number);
  };
  const tick = async (): Promise<void> => {
    await poll();
    const slot = currentSlot();
    if (slot === lastSlot || isStopped) return;
    lastSlot = slot;
    await fork.mine(1);
    see(last + 1n);
  };
  const schedule = (): void => {
    timer = setTimeout(run, tickMs).unref();
  };
  const run = (): void => {
    // The liveness check of the fork reports failures.
    void tick()
      .catch(() => undefined)
      .then(() => {
        if (!isStopped) schedule();
      });
  };
  schedule();
  return {
    head: () => highest,
    poll,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

function currentSlot(): number {
  return Math.floor(Date.now() / idleBlockMs);
}
