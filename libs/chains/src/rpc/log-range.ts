/** Learns how many blocks a node accepts in one log query. */
export interface LogRange {
  /** Blocks of the next query. */
  readonly blocks: bigint;
  /** A query of so many blocks succeeded. */
  accepted(blocks: bigint): void;
  /** The node found so many blocks too large. */
  refused(blocks: bigint): void;
}

const successesBeforeGrowth = 3;
// A dense stretch ends and limits change, so a refusal counts for a while only.
const successesBeforeForgetting = 200;
// A limit known to a sixteenth is not worth another refusal.
const precision = 16n;

/**
 * Learn from refusals: fall back to the largest range that worked, or to half, and grow by half after three
 * successes, but not to a size that was refused.
 *
 * @param initialBlocks - blocks of the first query
 * @param mostBlocks - never more than this; default unlimited
 */
export function createLogRange(initialBlocks: bigint, mostBlocks?: bigint): LogRange {
  let blocks = initialBlocks;
  let largestAccepted = 0n;
  let smallestRefused: bigint | undefined;
  let successes = 0;

  const larger = (): bigint => {
    const grown = blocks + (blocks + 1n) / 2n;
    if (smallestRefused === undefined || grown < smallestRefused) return grown;
    const between = (blocks + smallestRefused) / 2n;
    return between - blocks > blocks / precision ? between : blocks;
  };

  return {
    get blocks() {
      return blocks;
    },
    accepted(size) {
      // The rest of a range proves nothing about larger ones.
      if (size < blocks) return;
      largestAccepted = blocks;
      successes += 1;
      if (successes % successesBeforeForgetting === 0) smallestRefused = undefined;
      if (successes % successesBeforeGrowth !== 0) return;
      const next = larger();
      blocks = mostBlocks !== undefined && next > mostBlocks ? mostBlocks : next;
    },
    refused(size) {
      successes = 0;
      smallestRefused = size;
      if (largestAccepted >= size) largestAccepted = 0n;
      blocks = largestAccepted || size / 2n || 1n;
    },
  };
}
