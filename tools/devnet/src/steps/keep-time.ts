import type { ChainClient } from '@yield-vault/testing/local';

const tickMs = 500;
const idleBlockSeconds = 15;
const confirmationBlocks = 10;

/**
 * Keep blocks coming: one every 15 seconds, so that yield accrues and
 * every full hour has a block, and ten in quick succession after a transaction, so that confirmations are short.
 * A transaction itself is still mined at once.
 *
 * @param onFailure Called once when the chain no longer responds. No block follows.
 * @returns A function that stops it.
 */
export async function keepTime(client: ChainClient, onFailure: (error: Error) => void): Promise<() => void> {
  let seen = await client.getBlockNumber();
  let pending = 0;
  let lastSlot = currentSlot();
  let stopped = false;
  let timer: NodeJS.Timeout;

  const tick = async (): Promise<void> => {
    const number = await client.getBlockNumber();
    if (number > seen) pending = confirmationBlocks;
    const slot = currentSlot();
    if (pending === 0 && slot === lastSlot) return;
    await client.mine({ blocks: 1 });
    // A transaction between the two calls shows as one block more at the next tick.
    seen = number + 1n;
    pending = Math.max(0, pending - 1);
    lastSlot = slot;
  };
  const schedule = (): void => {
    // On the half second of the wall clock: the block of a full hour then bears exactly that time.
    timer = setTimeout(run, tickMs - (Date.now() % tickMs));
  };
  const run = (): void => {
    tick().then(
      () => {
        if (!stopped) schedule();
      },
      (error: unknown) => {
        if (!stopped) onFailure(error instanceof Error ? error : new Error(String(error)));
      },
    );
  };
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function currentSlot(): number {
  return Math.floor(Date.now() / 1000 / idleBlockSeconds);
}
