import { inParallel } from '../batching.js';
import type { Simulator } from './create-simulator.js';

/** As many as fit into one HTTP batch. */
const concurrentSimulations = 50;

/**
 * Simulate items. One that outlives the deadline fails all of its HTTP batch, so those that fail are repeated alone.
 *
 * @returns the results of the items that succeed, which are first in their order
 * @throws the last failure when all fail; the outage of a node that is down; the reason of the signal when it is aborted
 */
export async function simulateEach<Item, Result>(
  items: readonly Item[],
  { holder, run }: Simulator,
  signal: AbortSignal,
  simulate: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  let failed: Item[] = [];
  let failure: unknown;
  const attempt = async (item: Item) => {
    try {
      signal.throwIfAborted();
      return [await simulate(item)];
    } catch (error) {
      failure = error;
      failed.push(item);
      return [];
    }
  };
  const found = (await inParallel(items, concurrentSimulations, attempt)).flat();
  if (failed.length === 0) return found;
  signal.throwIfAborted();
  await run({ to: holder, data: '0x' });
  const again = failed;
  failed = [];
  found.push(...(await inParallel(again, 1, attempt)).flat());
  signal.throwIfAborted();
  if (found.length === 0) throw failure;
  return found;
}
