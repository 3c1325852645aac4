import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { BlockRef } from '../types.js';
import { asHeader, type Header } from './block-reference.js';
import type { Upstream } from './create-upstream.js';
import { callsOf, isAccountState, itemKey, valueOf, type StateItem } from './state-item.js';
import type { RpcCall, RpcOutcome } from './types.js';
import { unavailable } from './unavailable.js';

// Balancers answer from nodes that lag a little behind the newest block.
const patience = { maxAttempts: 3, backoff: new ExponentialBackoff({ initialDelay: 60, maxDelay: 400 }) };
const codesKept = 1_000;
// Code counts for every block that it is kept for, though it is in memory once.
const mostCharacters = 64 * 2 ** 20;
const charactersBesideCode = 500;

/** State of blocks that was read, kept by block hash: what belongs to a hash never changes. */
export interface BlockStore {
  /** Keep a header that was read elsewhere. */
  remember(header: Header): void;
  /** @throws {UpstreamUnavailableError} as `read` */
  header(block: BlockRef): Promise<Header>;
  /** What is kept. */
  known(block: BlockRef, item: StateItem): unknown;
  knownHeader(block: BlockRef): Header | undefined;
  /** Load items in as few batches as can be, each with the proof of its block; one that fails is left out. @throws {UpstreamUnavailableError} as `read` */
  load(block: BlockRef, items: readonly StateItem[]): Promise<void>;
  /**
   * Read one item.
   *
   * @throws {UpstreamUnavailableError} the upstream does not answer, does not know the block, or has another one in
   * its place
   */
  read(block: BlockRef, item: StateItem): Promise<unknown>;
  /** Keep what the `questions` about a block were answered with, if they were answered about this very block. */
  take(
    block: BlockRef,
    items: readonly StateItem[],
    answers: readonly RpcOutcome[],
  ): 'taken' | 'unknown' | 'replaced';
  readonly size: number;
}

export interface BlockStoreOptions {
  readonly dependency: string;
  readonly upstream: Upstream;
  readonly maxEntries: number;
  /** Told of a block that the upstream does not have (any more). */
  readonly onBlockGone: () => void;
}

/** List the calls that read items of a block: its number names it, and its header proves that it is the one meant. */
export function questionsAbout(number: bigint, items: readonly StateItem[]): readonly RpcCall[] {
  return [headerItem(number), ...items].flatMap((item) => callsOf(item, number));
}

/** Make the store of a chain's blocks. Equal questions under way are asked once. */
export function createBlockStore(options: BlockStoreOptions): BlockStore {
  const { dependency, upstream, maxEntries, onBlockGone } = options;
  const values = new LRUCache<string, NonNullable<unknown>>({
    max: maxEntries,
    maxSize: mostCharacters,
    sizeCalculation: (value) => charactersBesideCode + (isAccountState(value) ? value.code.length : 0),
  });
  const codes = new LRUCache<string, string>({ max: codesKept });
  const pending = new Map<string, Promise<void>>();
  const again = retry(
    handleWhen((error) => error instanceof NotThereYetError),
    patience,
  );

  const keyOf = (block: BlockRef, item: StateItem) => `${block.hash}/${itemKey(item)}`;
  // Blocks differ in little: the code of a contract is kept once.
  const shareCode = (value: NonNullable<unknown>): NonNullable<unknown> => {
    if (!isAccountState(value)) return value;
    const code = codes.get(value.code) ?? value.code;
    codes.set(code, code);
    return { ...value, code };
  };
  const remember = ({ block, raw }: Header) => {
    values.set(keyOf(block, headerItem(block.number)), raw as NonNullable<unknown>);
  };
  const gone = (block: BlockRef, what: string) => {
    onBlockGone();
    return unavailable(dependency, `block ${block.number} ${what}`);
  };
  const patiently = async (block: BlockRef, what: string, work: () => Promise<unknown>) => {
    try {
      return await again.execute(work);
    } catch (error) {
      throw error instanceof NotThereYetError ? gone(block, what) : error;
    }
  };

  const take: BlockStore['take'] = (block, items, answers) => {
    const [first, ...outcomes] = answers;
    const header = asHeader(first && 'result' in first ? first.result : undefined);
    if (!header) return 'unknown';
    if (header.block.hash !== block.hash) return 'replaced';
    remember(header);
    let from = 0;
    for (const item of items) {
      const value = valueOf(item, outcomes.slice(from, (from += callsOf(item, block.number).length)));
      if (value) values.set(keyOf(block, item), shareCode(value));
    }
    return 'taken';
  };
  const fetch = async (block: BlockRef, items: readonly StateItem[]): Promise<void> => {
    const requests = inRequests(items, upstream.batchLimit - 1);
    await Promise.all(requests.map((together) => fetchTogether(block, together)));
  };
  const fetchTogether = async (block: BlockRef, items: readonly StateItem[]) => {
    const questions = questionsAbout(block.number, items);
    await patiently(block, 'is not known', async () => {
      const answers = await upstream.ask(questions);
      // They went in several requests after all, maybe to several nodes, and one of these proved its block.
      if (questions.length > upstream.batchLimit && items.length > 1) return fetch(block, items);
      const verdict = take(block, items, answers);
      if (verdict === 'unknown') throw new NotThereYetError();
      if (verdict === 'replaced') throw gone(block, 'was replaced by another one');
    });
  };

  const load = async (block: BlockRef, items: readonly StateItem[]) => {
    const unknown = new Map(
      items.map((item) => [keyOf(block, item), item] as const).filter(([key]) => !values.has(key)),
    );
    const underWay = new Set([...unknown.keys()].flatMap((key) => pending.get(key) ?? []));
    const missing = new Map([...unknown].filter(([key]) => !pending.has(key)));
    if (missing.size > 0) {
      const fetching = fetch(block, [...missing.values()]).finally(() => {
        for (const key of missing.keys()) pending.delete(key);
      });
      for (const key of missing.keys()) pending.set(key, fetching);
      underWay.add(fetching);
    }
    await Promise.all(underWay);
  };

  const read = async (block: BlockRef, item: StateItem) => {
    const key = keyOf(block, item);
    const known = values.get(key);
    if (known !== undefined) return known;
    // Reading state never reverts: a call that fails is tried again as an outage is.
    return patiently(block, 'cannot be read', async () => {
      await load(block, [item]);
      const value = values.get(key);
      if (value === undefined) throw new NotThereYetError();
      return value;
    });
  };

  return {
    remember,
    async header(block) {
      return asHeader(await read(block, headerItem(block.number)))!;
    },
    known: (block, item) => values.get(keyOf(block, item)),
    knownHeader: (block) => asHeader(values.get(keyOf(block, headerItem(block.number)))),
    load,
    read,
    take,
    get size() {
      return values.size;
    },
  };
}

function headerItem(number: bigint): StateItem {
  return { kind: 'header', number };
}

/** Divide items so that the calls for each part are at most so many; an item by itself may need more. */
function inRequests(items: readonly StateItem[], most: number): readonly (readonly StateItem[])[] {
  const requests: StateItem[][] = [];
  let room = 0;
  for (const item of items) {
    const needed = callsOf(item, 0n).length;
    if (requests.length === 0 || needed > room) {
      requests.push([]);
      room = most;
    }
    requests.at(-1)!.push(item);
    room -= needed;
  }
  return requests;
}

class NotThereYetError extends Error {
  override readonly name = 'NotThereYetError';
}
