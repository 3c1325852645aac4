import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 100;

/**
 * Poll until the value fits: the service follows its chains by itself.
 *
 * @returns what fitted
 * @throws when no value fits in time; the message has the last value
 */
export async function until<T>(read: () => Promise<T>, fits: (seen: T) => boolean, seconds = 60): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const seen = await read();
    if (fits(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`Not seen within ${seconds} s; the last: ${JSON.stringify(seen)}`);
    await sleep(pollMs);
  }
}
