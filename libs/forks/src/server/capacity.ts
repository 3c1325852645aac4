import { ForkCapacityError, ForkNotRunningError, type ServiceError } from '@yield-vault/protocol';
import { findServiceError } from './fork/viem-clients.js';

/** Counts the forks that run or start. */
export interface Capacity {
  used(): number;
  /**
   * Count one more fork.
   *
   * @returns A function that releases the place. Calling it again does nothing.
   * @throws {ForkCapacityError} All places are taken.
   */
  take(): () => void;
}

const retryAfterSeconds = 5;

/** Make the count of forks, with its limit. */
export function createCapacity(maxForks: number): Capacity {
  const places = new Set<object>();
  return {
    used: () => places.size,
    take() {
      if (places.size >= maxForks) {
        throw new ForkCapacityError({
          detail: `All ${String(maxForks)} forks are in use.`,
          details: { maxForks },
          retryAfterSeconds,
        });
      }
      const place = {};
      places.add(place);
      return () => void places.delete(place);
    },
  };
}

/** Wrap the reason why a fork is not available. Errors about forks stay as they are. */
export function asForkError(error: unknown, chain: string): ServiceError {
  const known = findServiceError(error);
  if (known instanceof ForkNotRunningError || known instanceof ForkCapacityError) return known;
  return new ForkNotRunningError({
    detail: known?.detail ?? `The fork of ${chain} could not be prepared.`,
    details: { ...known?.details, chain },
    retryAfterSeconds: known?.retryAfterSeconds ?? 2,
    cause: error,
  });
}

/** No fork is available because the manager is closed. */
export function managerClosed(chain: string): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: 'The forks are shutting down.',
    details: { chain },
    retryAfterSeconds: 5,
  });
}
