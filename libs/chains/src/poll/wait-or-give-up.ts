import { setTimeout as pause } from 'node:timers/promises';
import { TransactionPendingError, type Json } from '@yield-vault/protocol';

/** Deadline and pauses of the polls of a chain. */
export interface Waiting {
  /** Unix milliseconds after which waiting ends. */
  readonly deadlineMs: number;
  /** The first pause; later ones grow. */
  readonly pollMs: number;
  readonly now: () => number;
  /** Ends waiting at once. */
  readonly signal?: AbortSignal;
}

/** The awaited event, for the error when the wait is over. */
export interface Pending {
  readonly detail: string;
  readonly details: Readonly<Record<string, Json>>;
  readonly cause?: unknown;
}

const growth = 1.1;
const longestPauseMs = 1_000;
const retryAfterSeconds = 2;

/**
 * Pause before the next poll.
 *
 * @param polls - number of polls so far
 * @throws {TransactionPendingError} when the deadline passed or the signal is aborted
 */
export async function waitOrGiveUp(pending: Pending, waiting: Waiting, polls: number): Promise<void> {
  const { deadlineMs, pollMs, now, signal } = waiting;
  if (now() >= deadlineMs || signal?.aborted)
    throw new TransactionPendingError({ ...pending, retryAfterSeconds });
  // Aborting ends the pause early and is no failure: the next poll decides.
  const pauseMs = Math.min(pollMs * growth ** polls, longestPauseMs);
  await pause(pauseMs, undefined, { signal }).catch(() => undefined);
}
