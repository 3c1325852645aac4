import {
  sameHex,
  silentLogger,
  type AwaitedOperation,
  type LoggerPort,
  type Sighting,
} from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';
import type { News, NewsReader, SeenOperation } from './news.js';

// Each pause costs two queries, however many calls wait. The first ones are short, for a call that waits alone.
const [shortestMs, longestMs, pausesOfWait] = [10, 100, 8];
// Every node's gas cap for eth_call allows so many reads.
const mostNonces = 1_000;

/** Wakes the calls of this process that wait for a chain. */
export interface Feed {
  waitForOperation(awaited: AwaitedOperation, timeoutMs: number, signal?: AbortSignal): Promise<Sighting>;
  /** @returns whether the block was stored in time; at once `false` while nobody follows the chain */
  reach(block: bigint, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** Read at once: the follower in this process has stored blocks. */
  wake(): void;
  /** Called when a call begins to wait, with a function that removes it again. */
  onWait(listener: () => void): () => void;
}

/** What a call waits for: `see` looks at the news, and ends the wait when they have it. */
interface Waiter {
  readonly awaited: AwaitedOperation | undefined;
  readonly since: number;
  /** Whether the store was not yet searched for its operation. */
  isFresh: boolean;
  readonly see: (seen: Seen) => void;
}

interface Seen extends Pick<News, 'followed' | 'hasRange'> {
  /** Waiting operations whose nonce the chain shows as used. */
  readonly used: ReadonlySet<AwaitedOperation>;
  readonly operations: ReadonlyMap<string, SeenOperation>;
}

/** Make the feed of a chain: two queries for all calls, and none while no call waits. */
export function createFeed(
  chainId: number,
  store: Pick<NewsReader, 'news' | 'uses'>,
  readNonces: (awaited: readonly AwaitedOperation[]) => Promise<readonly bigint[]>,
  {
    onSilent,
    logger = silentLogger,
    // Logs that never come, or another use of a nonce, must not keep a call waiting.
    nonceCheckMs = 4_000,
  }: {
    readonly onSilent?: () => void;
    readonly logger?: LoggerPort;
    readonly nonceCheckMs?: number;
  } = {},
): Feed {
  const waiters = new Set<Waiter>();
  const listeners = new Set<() => void>();
  let lastId: bigint | undefined;
  let isRunning = false;
  let wake = () => undefined as void;
  let checkedAt = 0;

  async function read(): Promise<void> {
    const news = await store.news(chainId, lastId);
    // After the news: later events are in the next ones.
    const fresh = [...waiters].filter(({ isFresh, awaited }) => isFresh && awaited);
    const uses =
      fresh.length > 0
        ? await store.uses(
            chainId,
            fresh.map(({ awaited }) => awaited!),
          )
        : [];
    lastId = news.lastId;
    for (const waiter of fresh) waiter.isFresh = false;
    const operations = new Map([...news.operations, ...uses].map((seen) => [keyOf(seen), seen]));
    tell({ ...news, operations, used: new Set() });
  }

  function tell(seen: Seen): void {
    for (const waiter of waiters) waiter.see(seen);
  }

  /** Ask the chain for the nonces of operations that wait for long, in one request: first of those not asked for lately. */
  async function checkNonces(): Promise<void> {
    const now = performance.now();
    if (now - checkedAt < nonceCheckMs) return;
    const late = [...waiters].filter(({ awaited, since }) => awaited && now - since >= nonceCheckMs);
    const chosen = late.slice(0, mostNonces);
    if (chosen.length === 0) return;
    checkedAt = now;
    for (const waiter of chosen) {
      waiters.delete(waiter);
      waiters.add(waiter);
    }
    const awaited = chosen.map((waiter) => waiter.awaited!);
    const next = await readNonces(awaited);
    const used = new Set(awaited.filter(({ nonce }, index) => next[index]! > nonce));
    tell({ followed: { first: 0n, newest: -1n }, hasRange: false, operations: new Map(), used });
  }

  async function run(): Promise<void> {
    const startedAt = performance.now();
    while (waiters.size > 0) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      try {
        await read();
      } catch (err) {
        logger.warn({ err, chainId }, 'stored events cannot be read: waiting calls try again');
      }
      // A slow node delays no news.
      checkNonces().catch((err: unknown) => logger.warn({ err, chainId }, 'nonces cannot be read'));
      let timer: NodeJS.Timeout | undefined;
      const pauseMs = Math.min(
        Math.max((performance.now() - startedAt) / pausesOfWait, shortestMs),
        longestMs,
      );
      const paused = new Promise<void>((resolve) => (timer = setTimeout(resolve, pauseMs)));
      if (waiters.size > 0) await Promise.race([woken, paused]);
      clearTimeout(timer);
    }
    isRunning = false;
    lastId = undefined;
  }

  /** Wait until `see` has a result. */
  function wait<T>(
    awaited: AwaitedOperation | undefined,
    see: (seen: Seen) => T | undefined,
    late: T,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<T> {
    return new Promise((resolve) => {
      const end = (result: T) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        waiters.delete(waiter);
        resolve(result);
      };
      const giveUp = () => end(late);
      const waiter: Waiter = {
        awaited,
        since: performance.now(),
        isFresh: true,
        see: (seen) => {
          const result = see(seen);
          if (result !== undefined) end(result);
        },
      };
      const timer = setTimeout(giveUp, timeoutMs);
      signal?.addEventListener('abort', giveUp);
      waiters.add(waiter);
      if (signal?.aborted) return giveUp();
      for (const listener of listeners) listener();
      wake();
      if (isRunning) return;
      isRunning = true;
      void run();
    });
  }

  return {
    waitForOperation(awaited, timeoutMs, signal) {
      const see = ({ followed, hasRange, operations, used }: Seen): Sighting | undefined => {
        const use = operations.get(keyOf(awaited));
        if (use && sameHex(use.userOpHash, awaited.userOpHash))
          return { kind: 'included', txHash: use.txHash };
        // The follower may have begun after the block of the operation.
        const isEarlier = followed && awaited.after + 1n < followed.first;
        if (use || hasRange || isEarlier || used.has(awaited)) return { kind: 'unclear' };
        if (followed) return undefined;
        onSilent?.();
        return { kind: 'silent' };
      };
      return wait<Sighting>(awaited, see, { kind: 'unseen' }, timeoutMs, signal);
    },
    reach(block, timeoutMs, signal) {
      const see = ({ followed }: Seen) => {
        if (!followed) onSilent?.();
        return followed ? followed.newest >= block || undefined : false;
      };
      return wait(undefined, see, false, timeoutMs, signal);
    },
    wake: () => wake(),
    onWait(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const keyOf = ({
  sender,
  nonce,
}: {
  readonly sender: Address;
  readonly nonce: bigint;
  readonly userOpHash: Hex;
}) => `${sender.toLowerCase()} ${nonce}`;
