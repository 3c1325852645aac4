import { createLogRange, isRangeTooLarge } from '@yield-vault/chains';
import type { ChainEventRows, Job } from '@yield-vault/database';
import { findError, minBigInt, sameHex, silentLogger, type LoggerPort } from '@yield-vault/protocol';
import { eventTopics } from '@yield-vault/smart-account';
import { createPause } from './create-pause.js';
import { mayHaveEvents } from './bloom.js';
import type { Address } from 'viem';
import type { Feed } from './create-feed.js';
import type { EventStore } from './event-store.js';
import { isInRow, readEvents, readHeader } from './read-blocks.js';
import type { Cursor, FollowedChain, Header, VaultsPort } from './types.js';

/** How a chain is followed. */
export interface FollowOptions {
  /** Blocks of one log query at most, while it catches up. Smaller ranges are learnt from refusals. */
  readonly blocks?: number;
  /** Whether the chain may become another one, as local chains and forks do. It is then followed from its newest block. */
  readonly mayBeReplaced?: boolean;
}

// Reorganisations are shorter, but for very rare ones. Older blocks are read in ranges.
const singleBlocks = 16n;
// The logs of a node may come later than its block.
const rereadAfter = [1n, 64n];
const seenMs = 1_000;
// A run that ends shows that the job works.
const runMs = 5_000;
const topics = Object.values(eventTopics);

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
  let suspects: { readonly block: Cursor; readonly due: bigint[] }[] = [];
  const followed = new Set<string>();
  let cursor: Cursor | undefined;
  let term: AbortSignal | undefined;
  let seenAt = 0;

  function forget(): void {
    cursor = undefined;
    followed.clear();
    suspects = [];
  }

  async function begin(head: Header): Promise<Cursor> {
    await store.begin(chainId, head);
    forget();
    logger.info({ chain: key, block: Number(head.number) }, 'a chain is followed from here on');
    return head;
  }

  async function followVaults(at: Cursor): Promise<readonly Address[]> {
    if (followed.size === 0) for (const address of await store.contracts(chainId)) followed.add(address);
    const wanted = [chain.entryPoint, ...vaults.addresses(key)].map((each) => each.toLowerCase() as Address);
    const added = wanted.filter((address) => !followed.has(address));
    if (added.length > 0) await store.follow(chainId, added, at.number + 1n);
    for (const address of added) followed.add(address);
    const entryPoint = chain.entryPoint.toLowerCase();
    return [...followed].filter((address) => address !== entryPoint) as Address[];
  }

  /** Go back to the newest block that the node still has. */
  async function rollBack(from: Cursor, head: Header): Promise<Cursor> {
    const known = await store.blocks(chainId);
    const hashes = await Promise.all(
      known.map(({ number }) =>
        readHeader(chain, { blockNumber: number }).then(
          ({ hash }) => hash,
          (error: unknown) => {
            if (findError(error, 'BlockNotFoundError')) return undefined;
            throw error;
          },
        ),
      ),
    );
    const place = known.findIndex(({ hash }, index) => hashes[index] && sameHex(hash, hashes[index]));
    const ancestor = known[place];
    if (ancestor) {
      const blocks = Number(from.number - ancestor.number);
      logger.warn({ chain: key, blocks, ancestor: Number(ancestor.number) }, 'a chain was reorganised');
      await store.rollBack(chainId, from, ancestor);
      suspects = suspects.filter(({ block }) => block.number <= ancestor.number);
      return ancestor;
    }
    if (!mayBeReplaced)
      throw new Error(
        `The node of ${key} contradicts every block that was followed, back to ${known.at(-1)?.number}.`,
      );
    logger.warn({ chain: key }, 'a chain was replaced by another one: its events are deleted');
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
  async function readRange(at: Cursor, addresses: readonly Address[], toBlock: bigint): Promise<Cursor> {
    const fromBlock = at.number + 1n;
    const size = toBlock - at.number;
    try {
      const [first, last, events] = await Promise.all([
        readHeader(chain, { blockNumber: fromBlock }),
        readHeader(chain, { blockNumber: toBlock }),
        readEvents(chain, addresses, { fromBlock, toBlock }),
      ]);
      if (!sameHex(first.parentHash, at.hash)) return await rollBack(at, last);
      await store.advance(chainId, at, [{ fromBlock, last }], events);
      range.accepted(size);
      return last;
    } catch (error) {
      if (size === 1n || !isRangeTooLarge(error)) throw error;
      range.refused(size);
      return at;
    }
  }

  /** Read the newest blocks, each by its hash. */
  async function readSingles(at: Cursor, addresses: readonly Address[], head: Header): Promise<Cursor> {
    const numbers = Array.from({ length: Number(head.number - at.number) - 1 }, (_, index) =>
      readHeader(chain, { blockNumber: at.number + 1n + BigInt(index) }),
    );
    const headers = [...(await Promise.all(numbers)), head];
    if (!sameHex(headers[0]!.parentHash, at.hash)) return rollBack(at, head);
    // The chain was reorganised between two requests.
    if (!isInRow(headers)) return at;
    const read = await Promise.all(
      headers.map(({ hash }) => readEvents(chain, addresses, { blockHash: hash })),
    );
    await store.advance(
      chainId,
      at,
      headers.map((last) => ({ fromBlock: last.number, last })),
      {
        operations: read.flatMap(({ operations }) => operations),
        movements: read.flatMap(({ movements }) => movements),
      },
    );
    const emitters = [chain.entryPoint, ...addresses];
    for (const [index, block] of headers.entries())
      if (isEmpty(read[index]!) && block.logsBloom && mayHaveEvents(block.logsBloom, emitters, topics))
        suspects.push({ block, due: rereadAfter.map((distance) => block.number + distance) });
    return head;
  }

  /** Read blocks again whose logs may have been late. */
  async function readSuspects(at: Cursor, addresses: readonly Address[]): Promise<void> {
    for (const suspect of [...suspects]) {
      if (suspect.due[0]! > at.number) continue;
      suspect.due.shift();
      const events = await readEvents(chain, addresses, { blockHash: suspect.block.hash });
      if (!isEmpty(events)) {
        await store.add(chainId, suspect.block, events);
        logger.warn(
          { chain: key, block: Number(suspect.block.number) },
          'a node gave the logs of a block late',
        );
        suspect.due.length = 0;
      }
      suspects = suspects.filter(({ due }) => due.length > 0);
    }
  }

  /** @returns whether the newest block is stored */
  async function follow(): Promise<boolean> {
    const head = await readHeader(chain, { blockTag: 'latest' });
    const at = (cursor ??= (await store.cursor(chainId)) ?? (await begin(head)));
    const addresses = await followVaults(at);
    if (await isReplaced(at, head)) {
      cursor = await rollBack(at, head);
      return false;
    }
    if (head.number <= at.number) {
      const isSeen = head.number === at.number && performance.now() - seenAt >= seenMs;
      if (isSeen) await store.seen(chainId);
      if (isSeen) seenAt = performance.now();
      return true;
    }
    const oldest = head.number - singleBlocks;
    cursor =
      at.number < oldest
        ? await readRange(at, addresses, minBigInt(oldest, at.number + range.blocks))
        : await readSingles(at, addresses, head);
    seenAt = performance.now();
    pause.onBlock(cursor.timestamp);
    onBlock?.(cursor.number);
    feed.wake();
    await readSuspects(cursor, addresses);
    return cursor.number === head.number;
  }

  return {
    name: `follow:${key}`,
    intervalMs: 1_000,
    run: async (signal) => {
      // Another process may have led since.
      if (term !== signal) forget();
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

const isEmpty = ({ operations, movements }: ChainEventRows) =>
  operations.length === 0 && movements.length === 0;
