import { availableParallelism } from 'node:os';
import { ForkCapacityError } from '@yield-vault/protocol';
import PQueue from 'p-queue';
import type { EphemeralLimits } from './options.js';

// Each of them is a process that computes: more of them only slow each other down.
const processesPerCore = 2;
const retryAfterSeconds = 1;

/** Lets only so many forks be used at once. */
export interface Admission {
  /**
   * Wait for a turn and run.
   *
   * @param signal ends the wait; a run that has begun sees to itself
   * @throws {ForkCapacityError} too many wait already; retryable
   */
  run<T>(needsProcess: boolean, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  waiting(): number;
}

/** Make the admission to forks within limits. */
export function createAdmission({
  concurrency,
  maxForks,
  queueLimit,
}: Pick<EphemeralLimits, 'concurrency' | 'maxForks' | 'queueLimit'>): Admission {
  const forks = new PQueue({ concurrency: Math.min(concurrency, maxForks) });
  const processes = new PQueue({
    concurrency: Math.min(forks.concurrency, processesPerCore * availableParallelism()),
  });

  return {
    async run(needsProcess, signal, work) {
      const queue = needsProcess ? processes : forks;
      if (queue.pending >= queue.concurrency && queue.size >= queueLimit) {
        throw capacityError(`${String(queue.size)} simulations wait already.`);
      }
      if (!needsProcess) return inTurn(forks, signal, work);
      return inTurn(processes, signal, () => inTurn(forks, signal, work));
    },
    waiting: () => forks.size + processes.size,
  };
}

/** Say that there is no room for another fork. */
export function capacityError(detail: string): ForkCapacityError {
  return new ForkCapacityError({ detail, retryAfterSeconds });
}

/** The queue frees the place of an aborted run at once; here it is free once the run has cleaned up. */
async function inTurn<T>(queue: PQueue, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const giveUp = () => waiting.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await queue.add(
      () => {
        signal.removeEventListener('abort', giveUp);
        return work();
      },
      { signal: waiting.signal },
    );
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
