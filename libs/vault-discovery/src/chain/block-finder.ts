import { findError } from '@yield-vault/protocol';
import type { Block, Hex, PublicClient } from 'viem';

/** The used part of a block header. */
export interface Header {
  readonly number: number;
  /** Unix seconds. */
  readonly t: number;
  readonly hash: Hex;
}

/** Finds blocks by time. */
export interface BlockFinder {
  /** Add a known header, for example of a later head. */
  know(header: Header): void;
  /** The last block before a time that a known header has reached; undefined before the chain began. */
  lastBefore(t: number): Promise<Header | undefined>;
}

export async function readHeader(rpc: PublicClient, number?: number): Promise<Header> {
  return toHeader(await rpc.getBlock(number === undefined ? {} : { blockNumber: BigInt(number) }));
}

/** As `readHeader`; undefined where the chain has no such block. */
export async function readHeaderIfAny(rpc: PublicClient, number: number): Promise<Header | undefined> {
  return readHeader(rpc, number).catch((error: unknown) => {
    if (findError(error, 'BlockNotFoundError')) return undefined;
    throw error;
  });
}

export const toHeader = ({
  number,
  timestamp,
  hash,
}: Block<bigint, false, 'latest' | 'finalized'>): Header => ({
  number: Number(number),
  t: Number(timestamp),
  hash,
});

/**
 * Find blocks by interpolation between known headers. Every third guess halves the range, because some chains produce
 * blocks unevenly.
 */
export function createBlockFinder(rpc: PublicClient, head: Header): BlockFinder {
  const known: Header[] = [head];

  const insert = (header: Header) => {
    const index = firstIndex((other) => other.number >= header.number);
    if (known[index]?.number !== header.number) known.splice(index, 0, header);
  };

  const firstIndex = (matches: (header: Header) => boolean): number => {
    let low = 0;
    let high = known.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (matches(known[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  const request = async (number: number) => insert(await readHeader(rpc, number));

  return {
    know: insert,
    lastBefore: async (t) => {
      for (let turn = 1; ; turn += 1) {
        const index = firstIndex((header) => header.t >= t);
        const above = known[index];
        const below = known[index - 1];
        if (!above) return below;
        if (!below) {
          if (above.number === 0) return undefined;
          await request(0);
          continue;
        }
        const span = above.number - below.number;
        if (span === 1) return below;
        const share = turn % 3 === 0 ? 0.5 : (t - below.t) / (above.t - below.t);
        const guess = below.number + Math.ceil(share * span) - 1;
        await request(Math.min(above.number - 1, Math.max(below.number + 1, guess)));
      }
    },
  };
}
