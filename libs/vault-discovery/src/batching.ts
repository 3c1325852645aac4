import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';

/** Cut work into chunks, and serve one turn of the event loop between them. */
export async function* inChunks<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await setImmediate();
    yield items.slice(start, start + size);
  }
}

/**
 * Work on items, a few at a time. A failure starts no further item; it is thrown once the running ones ended.
 *
 * @returns in the order of the items
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit(concurrency);
  const results: Result[] = [];
  let failure: { readonly error: unknown } | undefined;
  const workInTurn = async (item: Item, index: number): Promise<void> => {
    if (failure) return;
    try {
      results[index] = await work(item);
    } catch (error) {
      failure ??= { error };
    }
  };
  await Promise.all(items.map((item, index) => limit(workInTurn, item, index)));
  if (failure) throw failure.error;
  return results;
}
