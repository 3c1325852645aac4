import { BaseError, RpcRequestError } from 'viem';
import { UpstreamFailure } from './upstream-failure.js';

/** Blocks to read, both bounds included. */
export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
  /** Blocks of the first piece. */
  readonly initialBlocks: bigint;
  /** Begin at the newest block instead of the oldest. */
  readonly newestFirst?: boolean;
}

const successesBeforeGrowth = 3;

/**
 * Read a range of blocks. The results keep the order of the pieces of `readBlockPieces`.
 *
 * @throws the error of `read` when a smaller range would not help, or when a single block is still too large
 */
export async function readBlockRange<T>(
  read: (fromBlock: bigint, toBlock: bigint) => Promise<readonly T[]>,
  range: BlockRange,
): Promise<T[]> {
  const found: T[] = [];
  for await (const piece of readBlockPieces(read, range)) {
    // Spread into one call, very many would not fit the stack.
    for (const item of piece) found.push(item);
  }
  return found;
}

/**
 * Read a range of blocks piece by piece, for as long as the caller wants more: halve the piece when the node finds it
 * too large, grow it by half after three that worked.
 *
 * @returns what each piece holds
 * @throws the error of `read` when a smaller range would not help, or when a single block is still too large
 */
export async function* readBlockPieces<T>(
  read: (fromBlock: bigint, toBlock: bigint) => Promise<readonly T[]>,
  { fromBlock, toBlock, initialBlocks, newestFirst = false }: BlockRange,
): AsyncGenerator<readonly T[], void, undefined> {
  let [oldest, newest] = [fromBlock, toBlock];
  let blocks = initialBlocks;
  let successes = 0;
  while (oldest <= newest) {
    const left = newest - oldest + 1n;
    const size = blocks < left ? blocks : left;
    const from = newestFirst ? newest - size + 1n : oldest;
    const to = from + size - 1n;
    let piece: readonly T[];
    try {
      piece = await read(from, to);
    } catch (error) {
      if (size === 1n || !mayShrinkRange(error)) throw error;
      // Halve the requested piece, which is smaller than `blocks` near the end of the range.
      blocks = size / 2n;
      successes = 0;
      continue;
    }
    yield piece;
    if (newestFirst) newest = from - 1n;
    else oldest = to + 1n;
    successes += 1;
    if (successes === successesBeforeGrowth) {
      blocks += (blocks + 1n) / 2n;
      successes = 0;
    }
  }
}

// How nodes and the proxies before them say "too much": in time, in results, in bytes.
const sizeReason = /^(timed out|rate limit exceeded|JSON-RPC error|HTTP status (408|413|504))/;

/**
 * Tell whether a node that refused a range of logs may accept a smaller one. Providers share no code for "too
 * large", so every JSON-RPC error counts, and time running out; a node that is away will not do better.
 */
export function mayShrinkRange(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) =>
      cause instanceof UpstreamFailure ? sizeReason.test(cause.reason) : cause instanceof RpcRequestError,
    ) !== null
  );
}
