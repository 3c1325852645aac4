import { toHex } from 'viem';
import { keepBlocksComing, type BlockWatch } from './keep-blocks-coming.js';

const tickMs = 1_000;

let mined: bigint;
let blocks: BlockWatch;

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  mined = 10n;
  blocks = keepBlocksComing(
    {
      request: () => Promise.resolve(toHex(mined)),
      mine: (count) => {
        mined += BigInt(count);
        return Promise.resolve();
      },
    },
    { start: mined, isBilled: false, onWrite: () => undefined },
  );
});
afterEach(() => {
  blocks.stop();
  jest.useRealTimers();
});

describe('keepBlocksComing', () => {
  it('default: the head follows blocks that are expected, and those that nobody announced', async () => {
    const settle = blocks.expect(2);
    expect(blocks.head()).toBe(12n);
    mined += 2n;
    settle();
    expect(blocks.head()).toBe(12n);
    mined += 5n;
    await jest.advanceTimersByTimeAsync(3 * tickMs);
    expect(blocks.head()).toBe(17n);
  });

  it('behavior: a transaction that is answered before its block is there is not forgotten by a look in between', async () => {
    blocks.expect(1)();
    await jest.advanceTimersByTimeAsync(tickMs);
    mined += 1n;
    expect(blocks.head()).toBe(11n);
    await jest.advanceTimersByTimeAsync(2 * tickMs);
    expect(blocks.head()).toBeGreaterThanOrEqual(11n);
  });

  it('behavior: blocks that never come are expected no longer', async () => {
    blocks.expect(3)();
    await jest.advanceTimersByTimeAsync(3 * tickMs);
    blocks.expect(1)();
    expect(blocks.head()).toBe(11n);
  });

  it('attack: blocks that are announced and never come do not add up without end; those that are ordered do', async () => {
    for (let batch = 0; batch < 100; batch++) blocks.announce(1_000)();
    const settle = blocks.announce(1_000);
    expect(blocks.head()).toBe(1_010n);
    blocks.expect(5_000);
    expect(blocks.head()).toBe(6_010n);
    settle();
    await jest.advanceTimersByTimeAsync(3 * tickMs);
    expect(blocks.head()).toBe(5_010n);
  });

  it('behavior: an empty block every 15 seconds', async () => {
    await jest.advanceTimersByTimeAsync(33 * tickMs);
    expect(mined).toBe(12n);
    expect(blocks.head()).toBe(12n);
  });
});
