import { toHex } from 'viem';
import { watchBlocks, type BlockWatch } from './watch-blocks.js';

const tickMs = 1_000;

let mined: bigint;
let writes: number;
let blocks: BlockWatch;

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  mined = 10n;
  writes = 0;
  blocks = watchBlocks(
    {
      request: () => Promise.resolve(toHex(mined)),
      mine: (count) => {
        mined += BigInt(count);
        return Promise.resolve();
      },
    },
    { start: mined, onWrite: () => (writes += 1) },
  );
});
afterEach(() => {
  blocks.stop();
  jest.useRealTimers();
});

describe('watchBlocks', () => {
  it('default: the head follows the fork, and each change is reported once', async () => {
    mined += 5n;
    await jest.advanceTimersByTimeAsync(3 * tickMs);
    expect([blocks.head(), writes]).toEqual([15n, 1]);
    mined += 2n;
    await blocks.poll();
    expect([blocks.head(), writes]).toEqual([17n, 2]);
  });

  it('behavior: the head does not go back with a reverted snapshot', async () => {
    mined += 5n;
    await blocks.poll();
    mined -= 3n;
    await blocks.poll();
    expect([blocks.head(), writes]).toEqual([15n, 2]);
  });

  it('behavior: an empty block every 15 seconds, which is no write', async () => {
    await jest.advanceTimersByTimeAsync(33 * tickMs);
    expect([mined, blocks.head(), writes]).toEqual([12n, 12n, 0]);
  });
});
