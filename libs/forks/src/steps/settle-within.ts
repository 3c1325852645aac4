import { timeout, TimeoutStrategy } from 'cockatiel';

/** How long each question to a back end may take: status and metrics have to be told while it hangs. */
export const patienceMs = 2_000;

/** Wait for an answer, but not for long: a failure, or none in time, gives the fallback. */
export async function settleWithin<T>(answer: Promise<T>, milliseconds: number, fallback: T): Promise<T> {
  try {
    return await timeout(milliseconds, TimeoutStrategy.Aggressive).execute(() => answer);
  } catch {
    return fallback;
  }
}
