import { createLogRange, isRangeTooLarge } from '@yield-vault/chains';
import type { Job } from '@yield-vault/database';
import { minBigInt, sameHex, silentLogger, type LoggerPort } from '@yield-vault/protocol';
import { createPause } from './create-pause.js';
import { createBloomTest } from './bloom.js';
import type { Address } from 'viem';
import type { Feed } from './create-feed.js';
import type { Advance, EventStore } from './event-store.js';
import { findCommonBlock, isInRow, readEvents, readHeader } from './read-blocks.js';
import type { Cursor, FollowedChain, Header, VaultsPort } from './types.js';

/** How a chain is followed. */
export interface FollowOptions {
  /** Blocks of one log query at most, while it catches up. Smaller ranges are learnt from refusals. */
  readonly blocks?: number;
  /** Whether the chain may become another one, as local chains and forks do. It is then followed from its newest block. */
  readonly mayBeReplaced?: boolean;
}

// Reorganisations are shorter, and logs rarely come later. Older blocks are read in ranges.
const singleBlocks = 64n;
// Singles of one run: their logs travel in one response.
const mostSingles = 16n;
// The logs of a node may come later than its block.
const rereadAfter = [1n, 64n];
const seenMs = 1_000;
// A run that ends shows that the job works.
const runMs = 5_000;

/** Contracts to read, in lower case. */
interface Contracts {
  readonly all: readonly Address[];
  /** Those that are followed from the next block on. */
  readonly added: readonly Address[];
}

/**
 * Make the job that follows a chain: it reads each block once, stores its events, and wakes the feed. A block whose parent
 * differs from the last one takes it back to their common ancestor.
 */
export function createFollower(
  chain: FollowedChain,
  {
    store,
    feed,
    vaults,
    logger = silentLogger,
    onBlock,
  }: {
    readonly store: EventStore;
    readonly feed: Pick<Feed, 'wake' | 'onWait'>;
    readonly vaults: VaultsPort;
    readonly logger?: LoggerPort;
    readonly onBlock?: (block: bigint) => void;
  },
  { blocks = 10_000, mayBeReplaced = false }: FollowOptions = {},
): Job {
  const { key, chainId } = chain;
  const range = createLogRange(BigInt(blocks), BigInt(blocks));
  const pause = createPause({ isLocal: mayBeReplaced });
  let suspects: { readonly block: Cursor; readonly silent: readonly string[]; readonly due: bigint[] }[] = [];
  const followed = new Set<Address>();
  let cursor: Cursor | undefined;
  let term: AbortSignal | undefined;
  let seenAt = 0;

  function forget(): void {
    cursor = undefined;
    followed.clear();
  }

  async function begin(head: Header): Promise<Cursor> {
    await store.begin(chainId, head);
    forget();
    suspects = [];
    logger.info({ chain: key, block: Number(head.number) }, 'a chain is followed from here on');
    return head;
  }

  async function chooseContracts(): Promise<Contracts> {
    if (followed.size === 0) for (const address of await store.contracts(chainId)) followed.add(address);
    const wanted = [chain.entryPoint, ...vaults.addresses(key)].map((each) => each.toLowerCase() as Address);
    const added = [...new Set(wanted)].filter((address) => !followed.has(address));
    return { all: [...followed, ...added], added };
  }

  async function advance(at: Cursor, blocks: Advance): Promise<void> {
    await store.advance(chainId, at, blocks);
    for (const address of blocks.added) followed.add(address);
  }

  /** Go back to the newest block that the node still has. */
  async function rollBack(from: Cursor, head: Header): Promise<Cursor> {
    const known = await store.blocks(chainId);
    const ancestor = await findCommonBlock(chain, known);
    if (ancestor) {
      const blocks = Number(from.number - ancestor.number);
      logger.warn({ chain: key, blocks, ancestor: Number(ancestor.number) }, 'a chain was reorganised');
      await store.rollBack(chainId, from, ancestor);
      suspects = suspects.filter(({ block }) => block.number <= ancestor.number);
      return ancestor;
    }
    if (!mayBeReplaced && !known.some(({ isBegin }) => isBegin))
      throw new Error(
        `The node of ${key} contradicts every block that was followed, back to ${known.at(-1)?.number}.`,
      );
    logger.warn({ chain: key }, 'a chain has none of the blocks that were followed: its events are deleted');
    return begin(head);
  }

  /** Whether a block that the node has is another one than was stored. */
  async function isReplaced(at: Cursor, head: Header): Promise<boolean> {
    if (head.number > at.number) return false;
    if (head.number === at.number) return !sameHex(head.hash, at.hash);
    // The node may lag, or have another chain.
    const stored = (await store.blocks(chainId)).find(({ number }) => number === head.number);
    return stored ? !sameHex(stored.hash, head.hash) : mayBeReplaced;
  }

  /** Read old blocks in one query. */
  async function readRange(at: Cursor, { all, added }: Contracts, toBlock: bigint): Promise<Cursor> {
    const fromBlock = at.number + 1n;
    const size = toBlock - at.number;
    try {
      const [first, last, events] = await Promise.all([
        readHeader(chain, { blockNumber: fromBlock }),
        readHeader(chain, { blockNumber: toBlock }),
        readEvents(chain, all, { fromBlock, toBlock }),
      ]);
      if (!sameHex(first.parentHash, at.hash)) return await rollBack(at, last);
      await advance(at, { blocks: [{ fromBlock, last }], events, added });
      range.accepted(size);
      return last;
    } catch (error) {
      if (size === 1n || !isRangeTooLarge(error)) throw error;
      range.refused(size);
      return at;
    }
  }

  /** Read the newest blocks, each by its hash. */
  async function readSingles(at: Cursor, { all, added }: Contracts, head: Header): Promise<Cursor> {
    const numbers = Array.from({ length: Number(head.number - at.number) - 1 }, (_, index) =>
      readHeader(chain, { blockNumber: at.number + 1n + BigInt(index) }),
    );
    const headers = [...(await Promise.all(numbers)), head];
    if (!sameHex(headers[0]!.parentHash, at.hash)) return rollBack(at, head);
    if (!isInRow(headers)) throw new Error(`The node of ${key} was reorganised between two requests.`);
    const read = await Promise.all(headers.map(({ hash }) => readEvents(chain, all, { blockHash: hash })));
    await advance(at, {
      blocks: headers.map((last) => ({ fromBlock: last.number, last })),
      events: {
        operations: read.flatMap(({ operations }) => operations),
        movements: read.flatMap(({ movements }) => movements),
      },
      added,
    });
    for (const [index, block] of headers.entries()) {
      const isTold = block.logsBloom ? createBloomTest(block.logsBloom) : () => false;
      const silent = all.filter((address) => !read[index]!.emitters.has(address) && isTold(address));
      if (silent.length > 0)
        suspects.push({ block, silent, due: rereadAfter.map((distance) => block.number + distance) });
    }
    return head;
  }

  /** Read blocks again that may have more logs. */
  async function readSuspects(at: Cursor, { all }: Contracts): Promise<void> {
    for (const { block, silent, due } of [...suspects]) {
      if (due[0]! > at.number) continue;
      const { emitters, ...events } = await readEvents(chain, all, { blockHash: block.hash });
      due.shift();
      if (silent.some((address) => emitters.has(address))) {
        await store.add(chainId, block, events);
        logger.warn({ chain: key, block: Number(block.number) }, 'a node gave the logs of a block late');
        due.length = 0;
      }
    }
    suspects = suspects.filter(({ due }) => due.length > 0);
  }

  /** @returns whether the newest block is stored */
  async function follow(): Promise<boolean> {
    const head = await readHeader(chain, { blockTag: 'latest' });
    const at = (cursor ??= (await store.cursor(chainId)) ?? (await begin(head)));
    const contracts = await chooseContracts();
    if (await isReplaced(at, head)) {
      cursor = await rollBack(at, head);
      return false;
    }
    if (head.number <= at.number) {
      const isSeen = head.number === at.number && performance.now() - seenAt >= seenMs;
      if (isSeen) {
        await store.seen(chainId);
        seenAt = performance.now();
      }
      return true;
    }
    const oldest = head.number - singleBlocks;
    if (at.number < oldest) {
      cursor = await readRange(at, contracts, minBigInt(oldest, at.number + range.blocks));
    } else {
      const next = minBigInt(head.number, at.number + mostSingles);
      const last = next === head.number ? head : await readHeader(chain, { blockNumber: next });
      cursor = await readSingles(at, contracts, last);
    }
    seenAt = performance.now();
    pause.onBlock(cursor.timestamp);
    onBlock?.(cursor.number);
    feed.wake();
    await readSuspects(cursor, contracts);
    return cursor.number === head.number;
  }

  return {
    name: `follow:${key}`,
    intervalMs: 1_000,
    run: async (signal) => {
      // Another process may have led since, and gone back.
      if (term !== signal) {
        forget();
        suspects = [];
      }
      term = signal;
      const stop = feed.onWait(pause.hurry);
      const endAt = performance.now() + runMs;
      try {
        while (!signal.aborted && performance.now() < endAt) if (await follow()) await pause.wait(signal);
        return 'more';
      } catch (error) {
        forget();
        throw error;
      } finally {
        stop();
      }
    },
  };
}
