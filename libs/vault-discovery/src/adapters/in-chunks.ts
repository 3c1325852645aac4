import { setImmediate } from 'node:timers/promises';

/** Cut into parts, and let the process serve others between them. */
export async function* inChunks<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await setImmediate();
    yield items.slice(start, start + size);
  }
}

/** Ask about many ids without ever asking about too many at once: one parameter and one answer for each part. */
export async function readInChunks<T>(
  ids: readonly number[],
  read: (part: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const part of inChunks(ids, 5_000)) for (const row of await read(part)) found.push(row);
  return found;
}
