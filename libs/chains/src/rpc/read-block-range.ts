import { isNamed, walkCauses } from '@yield-vault/protocol';
import { createLogRange } from './log-range.js';
import { isLagging, isRangeRefusal } from './node-errors.js';
import { UpstreamFailure } from './upstream-failure.js';
import { upstreamReason } from './upstream-reason.js';

/** Blocks to read, both bounds included. */
export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
  /** Blocks of the first piece. */
  readonly initialBlocks: bigint;
  /** Begin at the newest block instead of the oldest. */
  readonly newestFirst?: boolean;
}

/**
 * Read a range of blocks piece by piece, for as long as the caller wants more: halve the piece when the node finds it
 * too large, grow it as `createLogRange` does.
 *
 * @returns what each piece holds
 * @throws the error of `read` when a smaller range would not help, or when a single block is still too large
 */
export async function* readBlockPieces<T>(
  read: (fromBlock: bigint, toBlock: bigint) => Promise<readonly T[]>,
  { fromBlock, toBlock, initialBlocks, newestFirst = false }: BlockRange,
): AsyncGenerator<readonly T[], void, undefined> {
  let [oldest, newest] = [fromBlock, toBlock];
  const range = createLogRange(initialBlocks);
  while (oldest <= newest) {
    const left = newest - oldest + 1n;
    const size = range.blocks < left ? range.blocks : left;
    const from = newestFirst ? newest - size + 1n : oldest;
    const to = from + size - 1n;
    let piece: readonly T[];
    try {
      piece = await read(from, to);
    } catch (error) {
      if (size === 1n || !isRangeTooLarge(error)) throw error;
      range.refused(size);
      continue;
    }
    yield piece;
    if (newestFirst) newest = from - 1n;
    else oldest = to + 1n;
    range.accepted(size);
  }
}

// How nodes and the proxies before them report "too much": in time, in bytes.
const sizeReason = /^(timed out|the response is too long|HTTP status (408|413|504))/;

/**
 * Recognise that a node may accept a smaller range of logs. Providers share no code for "too large", so every refusal
 * counts but a rate limit, and so does time that ran out. A node that is away, throttles or lags will not do better.
 */
export function isRangeTooLarge(error: unknown): boolean {
  return (
    isRangeRefusal(error) ||
    walkCauses(error).some((cause) =>
      isNamed<UpstreamFailure>(cause, 'UpstreamFailure')
        ? sizeReason.test(cause.reason)
        : isNamed(cause, 'RpcRequestError') && upstreamReason(cause) === undefined && !isLagging(cause),
    )
  );
}
