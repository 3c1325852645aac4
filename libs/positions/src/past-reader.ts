import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { asReadFailure, createLogRange, isRangeTooLarge } from '@yield-vault/chains';
import { minBigInt, type LoggerPort } from '@yield-vault/protocol';
import type { FinalBlock, Findings, PositionsChain, Scan, ScanStore } from './ports.js';
import { createShareLogReader, type Blocks } from './read-share-logs.js';
import type { EventPlace } from './types.js';
import { readWindow, type Window } from './read-window.js';

/** How the past of wallets is read on one chain. */
export interface PastLimits {
  /** Blocks of one log query at most. Smaller ranges are learnt from refusals. */
  readonly blocks: number;
  /** Log queries of the background reader, for all wallets. */
  readonly requestsPerSecond: number;
  /** Ranges that are read at the same time. */
  readonly concurrency: number;
}

/** The past of a wallet, as far as it has been read. */
export interface Past {
  /** Whether every block up to the newest is read. */
  readonly isComplete: boolean;
  /** Findings in blocks that may still be replaced; they are not stored. */
  readonly head: Findings;
}

/** Progress under a lease, with the findings that are not stored. */
interface Advance extends Omit<Window, 'failed'> {
  readonly scan: Scan;
}

/** Reads the past of wallets on one chain. */
export interface PastReader {
  /** Read on from a scan as far as the limits of one response allow. Never throws for a failed log query. */
  catchUp(scan: Scan, head: HeadBlocks, signal: AbortSignal): Promise<Past>;
  /** Read one window of each unfinished wallet. @returns milliseconds until the next round */
  readUnfinished(): Promise<number>;
}

/** The newest block, and the newest one that cannot be replaced. */
export interface HeadBlocks {
  readonly pinned: bigint;
  readonly final: FinalBlock;
}

// A response may have 10 log queries. One range costs up to four. A limit of 9 saves a request: a third window in a row.
const queriesOfResponse = 9;
const queriesOfRange = 4;
// Longer than the deadline of every query of a window.
const leaseSeconds = 60;
const leasePollMs = 50;
const idleMs = 1_000;
const retryAfterSeconds = 5;

/** Create the reader of one chain. It learns the range of the node, and waits when the node throttles. */
export function createPastReader(
  chain: PositionsChain,
  logs: Pick<PositionsChain, 'rpc'>,
  store: ScanStore,
  limits: PastLimits,
  logger: LoggerPort,
): PastReader {
  const range = createLogRange(BigInt(limits.blocks), BigInt(limits.blocks));
  let pausedUntil = 0;

  const readBlocks = async (scan: Scan, { from, to }: Blocks, count: number): Promise<Window> => {
    const ranges: Blocks[] = [];
    for (let next = from; next <= to && ranges.length < count; next = ranges.at(-1)!.to + 1n)
      ranges.push({ from: next, to: minBigInt(next + range.blocks - 1n, to) });
    const reader = createShareLogReader(logs.rpc, scan.wallet, scan.vaults, chain);
    const window = await readWindow(reader, ranges, scan.firstBlock);
    for (const blocks of ranges) if (blocks.to < window.nextBlock) range.accepted(sizeOf(blocks));
    if (window.failed) onFailure(window.failed);
    return window;
  };

  const onFailure = ({ blocks, error }: NonNullable<Window['failed']>) => {
    if (isRangeTooLarge(error) && blocks.to > blocks.from) return range.refused(sizeOf(blocks));
    const failure = asReadFailure(error, `rpc:${chain.key}`);
    const waitSeconds = failure?.retryAfterSeconds ?? retryAfterSeconds;
    pausedUntil = Date.now() + waitSeconds * 1_000;
    const facts = failure ? { reason: failure.detail } : { err: error };
    logger.warn({ chain: chain.key, ...facts, waitSeconds }, 'a log query failed: positions stay pending');
  };

  /** @returns `undefined` while another reader has the wallet */
  const advance = async (
    key: Pick<Scan, 'chainId' | 'wallet'>,
    count: number,
    head?: HeadBlocks,
  ): Promise<Advance | undefined> => {
    const owner = randomUUID();
    const scan = await store.claim(key, owner, leaseSeconds);
    if (!scan) return undefined;
    try {
      const final = head?.final ?? scan.target;
      const blocks = { from: scan.nextBlock, to: head?.pinned ?? final.number };
      const isDone = blocks.from > final.number;
      const window = isDone ? nothing(scan) : await readBlocks(scan, blocks, count);
      const isFinal = ({ blockNumber }: Pick<EventPlace, 'blockNumber'>) => blockNumber <= final.number;
      const isNew = (each: EventPlace) => !isFinal(each);
      const first = window.firstBlock ?? final.number + 1n;
      const progress = {
        nextBlock: isDone ? scan.nextBlock : minBigInt(window.nextBlock, final.number + 1n),
        target: final.number > scan.target.number ? final : scan.target,
        firstBlock: isFinal({ blockNumber: first }) ? first : scan.firstBlock,
        ...choose(window, isFinal),
      };
      if (!(await store.save(key, owner, progress))) return undefined;
      return { ...window, ...choose(window, isNew), scan: { ...scan, ...progress } };
    } catch (error) {
      await store.release(key, owner);
      throw error;
    }
  };

  return {
    async catchUp(first, head, signal) {
      let [scan, next, queries] = [first, first.nextBlock, 0];
      let found = none;
      while (next <= head.pinned) {
        const count = Math.min(
          limits.concurrency,
          Math.floor((queriesOfResponse - queries) / queriesOfRange),
        );
        if (count === 0 || signal.aborted || Date.now() < pausedUntil)
          return { isComplete: false, head: none };
        // Nothing of the head is kept, so it needs no lease.
        const isHead = next > head.final.number;
        const read = isHead
          ? { ...(await readBlocks(scan, { from: next, to: head.pinned }, count)), scan }
          : await advance(scan, count, head);
        if (read) {
          found = {
            movements: [...found.movements, ...read.movements],
            payments: [...found.payments, ...read.payments],
          };
          scan = { ...read.scan, firstBlock: read.firstBlock };
          next = read.nextBlock;
          queries += read.queries;
          continue;
        }
        await sleep(leasePollMs);
        scan = (await store.find(scan)) ?? scan;
        next = scan.nextBlock;
      }
      return { isComplete: true, head: found };
    },

    async readUnfinished() {
      if (Date.now() < pausedUntil) return pausedUntil - Date.now();
      const startedAt = Date.now();
      const scans = await store.unfinished(chain.chainId, limits.concurrency);
      if (scans.length === 0) return idleMs;
      const count = Math.floor(limits.concurrency / scans.length);
      const reads = await Promise.all(scans.map((scan) => advance(scan, count)));
      const queries = reads.reduce((sum, read) => sum + (read?.queries ?? 0), 0);
      const pacedUntil = startedAt + (queries * 1_000) / limits.requestsPerSecond;
      return Math.max(pacedUntil, pausedUntil) - Date.now();
    },
  };
}

const sizeOf = ({ from, to }: Blocks) => to - from + 1n;

/** No findings. */
export const none: Findings = { movements: [], payments: [] };

const choose = ({ movements, payments }: Findings, by: (each: EventPlace) => boolean): Findings => ({
  movements: movements.filter(by),
  payments: payments.filter(by),
});

const nothing = ({ nextBlock, firstBlock }: Scan): Window => ({ ...none, nextBlock, firstBlock, queries: 0 });
