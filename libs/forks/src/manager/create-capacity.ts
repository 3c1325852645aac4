import { ForkCapacityError } from '@yield-vault/protocol';

/** Counts the forks that there are and those being made. */
export interface Capacity {
  used(): number;
  /**
   * Take a place.
   *
   * @returns how to give it back; more than once is no error
   * @throws {ForkCapacityError} there is none left
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
