import type { BlockRef } from '../types.js';

/**
 * Choose the time of the block after a block: now, and later than the block's own.
 *
 * @param now - Unix milliseconds
 * @returns Unix seconds
 */
export function simulatedTime({ timestamp }: Pick<BlockRef, 'timestamp'>, now: number): bigint {
  const seconds = BigInt(Math.floor(now / 1_000));
  return seconds > timestamp ? seconds : timestamp + 1n;
}
