import pLimit from 'p-limit';

/**
 * Work on items, a few at a time. After a failure no other one is begun, what is under way is waited for, and the failure
 * is thrown: nothing stays behind.
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
