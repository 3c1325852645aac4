import { randomUUID } from 'node:crypto';
import { asReadFailure, createLogRange, isRangeTooLarge, type LogRange } from '@yield-vault/chains';
import type { DatabaseHandle, Job } from '@yield-vault/database';
import { minBigInt, type LoggerPort } from '@yield-vault/protocol';
import type { Address } from 'viem';
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
const heldSeconds = 600;

/**
 * Create the job that reads one window of each unfinished past of a chain. It learns the range of each past, and waits when
 * the node throttles. Anybody can fill a block with events of a wallet, so a refused block holds up only its past.
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
  const ranges = new Map<Address, LogRange>();
  let pausedUntil = 0;

  /** @returns for how long the past is held, in seconds */
  const onFailure = ({ blocks, error }: NonNullable<Window['failed']>, range: LogRange): number => {
    const failure = asReadFailure(error, `rpc:${chain.key}`);
    const isOfPast = !failure || isRangeTooLarge(error);
    if (isOfPast && range.blocks > 1n) {
      range.refused(sizeOf(blocks));
      return 0;
    }
    const waitSeconds = isOfPast ? heldSeconds : (failure.retryAfterSeconds ?? retryAfterSeconds);
    if (!isOfPast) pausedUntil = Date.now() + waitSeconds * 1_000;
    const facts = failure ? { reason: failure.detail } : { err: error };
    logger.warn(
      { chain: chain.key, block: blocks.from, ...facts, waitSeconds },
      'a log query failed: positions stay pending',
    );
    return isOfPast ? heldSeconds : 0;
  };

  /** @returns the log queries made */
  const advance = async (past: WalletPast, owner: string, count: number): Promise<number> => {
    const range = ranges.get(past.wallet) ?? createLogRange(BigInt(limits.blocks), BigInt(limits.blocks));
    ranges.set(past.wallet, range);
    const pieces: Blocks[] = [];
    for (
      let from = past.nextBlock;
      from <= past.lastBlock && pieces.length < count;
      from = pieces.at(-1)!.to + 1n
    )
      pieces.push({ from, to: minBigInt(from + range.blocks - 1n, past.lastBlock) });
    const { movements, operations, queries, failed, ...progress } = await readWindow(
      logs.rpc,
      past,
      contracts,
      pieces,
    );
    for (const blocks of pieces) if (blocks.to < progress.nextBlock) range.accepted(sizeOf(blocks));
    const held = failed ? onFailure(failed, range) : 0;
    if (progress.nextBlock > past.lastBlock) ranges.delete(past.wallet);
    await savePast(db, owner, { ...past, ...progress }, { movements, operations }, held);
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
      const isSingle = ({ wallet }: WalletPast) => ranges.get(wallet)?.blocks === 1n;
      const single = pasts.filter(isSingle);
      const others = pasts.filter((past) => !isSingle(past));
      const queries = await Promise.all(others.map((past) => advance(past, owner, count)));
      // A response that is too long fails all calls of its request. Only alone it shows which block is to blame.
      for (const past of single) queries.push(await advance(past, owner, 1));
      const total = queries.reduce((sum, made) => sum + made, 0);
      const pacedUntil = startedAt + (total * 1_000) / limits.requestsPerSecond;
      return Math.max(pacedUntil, pausedUntil) - Date.now();
    },
  };
}

const sizeOf = ({ from, to }: Blocks) => to - from + 1n;
