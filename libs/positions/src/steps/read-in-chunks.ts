/** How to walk a range of blocks. */
export interface ChunkOptions {
  /** Blocks of the first chunk. */
  readonly initialBlocks: bigint;
  /** Whether a smaller range may succeed where this error came. */
  readonly mayShrink: (error: unknown) => boolean;
}

const successesBeforeGrowth = 3;

/**
 * Read a range of blocks piece by piece: halve the piece when the node finds it too large, grow it by half
 * after three that worked. Bounds are inclusive on both sides.
 *
 * @throws the error of `read` when it is of another kind, or when a single block is still too large
 */
export async function readInChunks<T>(
  read: (fromBlock: bigint, toBlock: bigint) => Promise<readonly T[]>,
  range: { readonly fromBlock: bigint; readonly toBlock: bigint },
  { initialBlocks, mayShrink }: ChunkOptions,
): Promise<T[]> {
  const found: T[] = [];
  let blocks = initialBlocks;
  let successes = 0;
  let from = range.fromBlock;
  while (from <= range.toBlock) {
    const last = from + blocks - 1n;
    const to = last < range.toBlock ? last : range.toBlock;
    try {
      found.push(...(await read(from, to)));
    } catch (error) {
      if (to === from || !mayShrink(error)) throw error;
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
