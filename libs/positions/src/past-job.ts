import { randomUUID } from 'node:crypto';
import { asReadFailure, createLogRange, isRangeTooLarge } from '@yield-vault/chains';
import type { DatabaseHandle, Job } from '@yield-vault/database';
import { minBigInt, type LoggerPort } from '@yield-vault/protocol';
import type { PositionsChain } from './ports.js';
import { readWindow, type Blocks, type Window } from './read-past.js';
import { claimPasts, savePast, type WalletPast } from './stored-pasts.js';

/** How the past of wallets is read on one chain. */
export interface PastLimits {
  /** Blocks of one log query at most. Smaller ranges are learnt from refusals. */
  readonly blocks: number;
  /** Log queries for all wallets. */
  readonly requestsPerSecond: number;
  /** Ranges that are read at the same time. */
  readonly concurrency: number;
}

const idleMs = 1_000;
const retryAfterSeconds = 5;

/**
 * Create the job that reads one window of each unfinished past of a chain. It learns the range of the node, and waits when
 * the node throttles.
 *
 * @param logs - client for log queries
 */
export function createPastJob(
  chain: PositionsChain,
  logs: Pick<PositionsChain, 'rpc'>,
  { db }: Pick<DatabaseHandle, 'db'>,
  limits: PastLimits,
  logger: LoggerPort,
): Job {
  const contracts = { ...chain.contracts, entryPoint: chain.entryPoint, usdc: chain.usdc };
  const range = createLogRange(BigInt(limits.blocks), BigInt(limits.blocks));
  let pausedUntil = 0;

  const onFailure = ({ blocks, error }: NonNullable<Window['failed']>) => {
    if (isRangeTooLarge(error) && blocks.to > blocks.from) return range.refused(sizeOf(blocks));
    const failure = asReadFailure(error, `rpc:${chain.key}`);
    const waitSeconds = failure?.retryAfterSeconds ?? retryAfterSeconds;
    pausedUntil = Date.now() + waitSeconds * 1_000;
    const facts = failure ? { reason: failure.detail } : { err: error };
    logger.warn({ chain: chain.key, ...facts, waitSeconds }, 'a log query failed: positions stay pending');
  };

  /** @returns the log queries made */
  const advance = async (past: WalletPast, owner: string, count: number): Promise<number> => {
    const ranges: Blocks[] = [];
    for (
      let from = past.nextBlock;
      from <= past.lastBlock && ranges.length < count;
      from = ranges.at(-1)!.to + 1n
    )
      ranges.push({ from, to: minBigInt(from + range.blocks - 1n, past.lastBlock) });
    const { movements, operations, queries, failed, ...progress } = await readWindow(
      logs.rpc,
      past,
      contracts,
      ranges,
    );
    for (const blocks of ranges) if (blocks.to < progress.nextBlock) range.accepted(sizeOf(blocks));
    if (failed) onFailure(failed);
    await savePast(db, owner, { ...past, ...progress }, { movements, operations });
    return queries;
  };

  return {
    name: `past:${chain.key}`,
    intervalMs: idleMs,
    run: async () => {
      const startedAt = Date.now();
      if (startedAt < pausedUntil) return pausedUntil - startedAt;
      const owner = randomUUID();
      const pasts = await claimPasts(db, chain.chainId, owner, limits.concurrency);
      if (pasts.length === 0) return idleMs;
      const count = Math.floor(limits.concurrency / pasts.length);
      const queries = await Promise.all(pasts.map((past) => advance(past, owner, count)));
      const total = queries.reduce((sum, made) => sum + made, 0);
      const pacedUntil = startedAt + (total * 1_000) / limits.requestsPerSecond;
      return Math.max(pacedUntil, pausedUntil) - Date.now();
    },
  };
}

const sizeOf = ({ from, to }: Blocks) => to - from + 1n;
