import { mayShrinkRange } from './may-shrink-range.js';

/** Blocks to read, both bounds included. */
export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
  /** Blocks of the first piece. */
  readonly initialBlocks: bigint;
}

const successesBeforeGrowth = 3;

/**
 * Read a range of blocks piece by piece: halve the piece when the node finds it too large, grow it by half
 * after three that worked. What is found keeps the order of the blocks.
 *
 * @throws the error of `read` when a smaller range would not help, or when a single block is still too large
 */
export async function readBlockRange<T>(
  read: (fromBlock: bigint, toBlock: bigint) => Promise<readonly T[]>,
  range: BlockRange,
): Promise<T[]> {
  const found: T[] = [];
  let blocks = range.initialBlocks;
  let successes = 0;
  let from = range.fromBlock;
  while (from <= range.toBlock) {
    const last = from + blocks - 1n;
    const to = last < range.toBlock ? last : range.toBlock;
    try {
      // Spread into one call, very many would not fit the stack.
      for (const item of await read(from, to)) found.push(item);
    } catch (error) {
      if (to === from || !mayShrinkRange(error)) throw error;
      // Halve what was asked, which near the end of the range is less than `blocks`.
      blocks = (to - from + 1n) / 2n;
      successes = 0;
      continue;
    }
    from = to + 1n;
    successes += 1;
    if (successes === successesBeforeGrowth) {
      blocks += (blocks + 1n) / 2n;
      successes = 0;
    }
  }
  return found;
}
