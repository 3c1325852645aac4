import { ForkCapacityError } from '@yield-vault/protocol';
import PQueue from 'p-queue';

const retryAfterSeconds = 1;

export interface AdmissionLimits {
  /** Simulations at the same time; the others wait. */
  readonly concurrency: number;
  /** Simulations that may wait; a further one is refused. */
  readonly queueLimit: number;
}

/** Lets only a limited number of simulations run at once. */
export interface Admission {
  /**
   * Wait for a turn and run.
   *
   * @param signal ends the wait; a run that has begun handles its own end
   * @throws {ForkCapacityError} too many wait already; retryable
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  waiting(): number;
}

/** Make the queue of simulations. */
export function createAdmission({ concurrency, queueLimit }: AdmissionLimits): Admission {
  const queue = new PQueue({ concurrency });
  return {
    async run(signal, work) {
      if (queue.pending >= concurrency && queue.size >= queueLimit) {
        throw capacityError(`${String(queue.size)} simulations wait already.`);
      }
      // The queue frees the place of an aborted run at once. Here a place is free once the run has cleaned up.
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
    },
    waiting: () => queue.size,
  };
}

/** Build the error for a simulation that finds no room. */
export function capacityError(detail: string): ForkCapacityError {
  return new ForkCapacityError({ detail, retryAfterSeconds });
}
