// A chain is asked at most so often, and at least once a second.
const [localFloorMs, floorMs, longestMs] = [10, 250, 1_000];
// The pause grows with the time since a block was due.
const pausesPerBlock = 8;
const earlier = 0.9;

/** Chooses when to ask a chain for its next block. */
export interface Pause {
  /** A block was read. */
  onBlock(timestamp: bigint): void;
  /** A call waits now: ask soon. */
  readonly hurry: () => void;
  wait(signal: AbortSignal): Promise<void>;
}

/** Make the pauses of a chain: until the next block is due, then short ones that grow. */
export function createPause({ isLocal }: { readonly isLocal: boolean }): Pause {
  const shortest = isLocal ? localFloorMs : floorMs;
  let [blockAt, hurriedAt] = [0, 0];
  let [timestamp, intervalMs] = [0n, 0];
  let wake = () => undefined as void;

  const pauseMs = (): number => {
    const now = performance.now();
    const dueAt = hurriedAt > blockAt ? hurriedAt : blockAt + intervalMs * earlier;
    const wanted = now < dueAt ? dueAt - now : (now - dueAt) / pausesPerBlock;
    return Math.min(Math.max(wanted, shortest), longestMs);
  };

  return {
    onBlock(next) {
      if (timestamp > 0n) intervalMs = Number(next - timestamp) * 1_000;
      [timestamp, blockAt] = [next, performance.now()];
    },
    hurry() {
      hurriedAt = performance.now();
      wake();
    },
    wait: (signal) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, pauseMs());
        wake = () => {
          clearTimeout(timer);
          setTimeout(end, shortest);
        };
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) end();
      }),
  };
}
