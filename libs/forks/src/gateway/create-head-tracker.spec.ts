import type { Header } from './block-reference.js';
import { createHeadTracker, type HeadTracker } from './create-head-tracker.js';

const header = (number: bigint): Header => ({
  block: { number, hash: `0x${number.toString(16).padStart(64, '0')}`, timestamp: number },
  raw: {},
});

/** A look that ends when it is told to. */
function heldLook() {
  const ends: ((found: Header | Error) => void)[] = [];
  const look = jest.fn(
    () =>
      new Promise<Header>((resolve, reject) => {
        ends.push((found) => (found instanceof Error ? reject(found) : resolve(found)));
      }),
  );
  return { look, end: (found: Header | Error) => ends.shift()!(found) };
}

describe('createHeadTracker', () => {
  let time: number;
  let heads: HeadTracker;
  beforeEach(() => {
    time = 1_000;
    heads = createHeadTracker(() => time, 100);
  });
  const found = (number: bigint) => () => Promise.resolve(header(number));

  it('default: an answer is reused while it is young enough', async () => {
    const look = jest.fn(found(1n));
    await heads.newest(100, look);
    time += 99;
    await heads.newest(100, look);
    expect(look).toHaveBeenCalledTimes(1);
    time += 1;
    await heads.newest(100, look);
    expect(look).toHaveBeenCalledTimes(2);
  });

  it('behavior: who asks at the same time shares the question', async () => {
    const { look, end } = heldLook();
    const waiting = [heads.newest(1, look), heads.newest(1, look), heads.newest(50, look)];
    end(header(1n));
    expect(await Promise.all(waiting)).toEqual([header(1n), header(1n), header(1n)]);
    expect(look).toHaveBeenCalledTimes(1);
  });

  it('behavior: a question that began too early is not enough, and the next one is shared', async () => {
    const { look, end } = heldLook();
    const first = heads.newest(0, look);
    time += 10;
    const later = [heads.newest(0, look), heads.newest(5, look), heads.newest(11, look)];
    end(header(1n));
    await first;
    expect(await later[2]).toEqual(header(1n));
    time += 1;
    // Who waited asks in a microtask after the first answer.
    await new Promise(setImmediate);
    end(header(2n));
    expect(await Promise.all(later.slice(0, 2))).toEqual([header(2n), header(2n)]);
    expect(look).toHaveBeenCalledTimes(2);
  });

  it('behavior: an endpoint that lags does not take the head back, unless the chain was replaced', async () => {
    await heads.newest(0, found(5n));
    time += 1;
    expect(await heads.newest(0, found(4n))).toEqual(header(5n));
    heads.forget();
    expect(await heads.newest(0, found(4n))).toEqual(header(4n));
  });

  it('behavior: a chain that went back is followed once no endpoint can lag that much', async () => {
    await heads.newest(0, found(5n));
    time += 99;
    expect(await heads.newest(0, found(4n))).toEqual(header(5n));
    time += 1;
    expect(await heads.newest(0, found(4n))).toEqual(header(4n));
  });

  it('behavior: where there is one node, a chain that went back is followed at once', async () => {
    const oneNode = createHeadTracker(() => time, 0);
    await oneNode.newest(0, found(5n));
    expect(await oneNode.newest(0, found(4n))).toEqual(header(4n));
  });

  it('error: a failure is given to those who waited and not kept', async () => {
    const { look, end } = heldLook();
    const waiting = heads.newest(0, look);
    end(new Error('down'));
    await expect(waiting).rejects.toThrow('down');
    expect(await heads.newest(0, found(1n))).toEqual(header(1n));
  });
});
