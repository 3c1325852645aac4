import type { Hex } from 'viem';
import type { LaunchedFork } from '../ports.js';

const tickMs = 1_000;
const billedTickMs = 60_000;
const idleBlockMs = 15_000;
// More than a fork mines of transactions between two looks. Who announces them need not send any, and the successor of
// the fork mines as many: a thousand take 0.2 s, a hundred thousand more than a request may take.
const mostAnnounced = 1_000;

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
  /** The same of blocks that may come, as of transactions that somebody else sends. */
  announce(blocks: number): () => void;
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
  const expected = createTally();
  const announced = createTally();

  const see = (number: bigint): void => {
    last = number;
    if (number > highest) highest = number;
  };
  const tick = async (): Promise<void> => {
    const looks = [expected.look(), announced.look()];
    const number = BigInt((await fork.request('eth_blockNumber')) as Hex);
    if (number !== last) onWrite();
    see(number);
    for (const settle of looks) settle();
    const slot = currentSlot();
    if (slot === lastSlot || isStopped || isBilled) return;
    lastSlot = slot;
    await fork.mine(1).finally(expected.add(1));
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
      const ahead = last + BigInt(expected.count() + Math.min(announced.count(), mostAnnounced));
      return ahead > highest ? ahead : highest;
    },
    expect: (blocks) => expected.add(blocks),
    announce: (blocks) => announced.add(blocks),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Count blocks that are coming, and those that came since the last look but one: a node may take a transaction before
 * it has mined it, so that a look right after its answer misses it.
 */
function createTally() {
  let coming = 0;
  let come = 0;
  let comeBeforeLook = 0;
  return {
    add(blocks: number) {
      coming += blocks;
      return (): void => {
        coming -= blocks;
        come += blocks;
      };
    },
    /** @returns to be called when the look has succeeded */
    look() {
      const comeNow = come;
      return (): void => {
        come -= comeBeforeLook;
        comeBeforeLook = comeNow - comeBeforeLook;
      };
    },
    count: () => coming + come,
  };
}

function currentSlot(): number {
  return Math.floor(Date.now() / idleBlockMs);
}
