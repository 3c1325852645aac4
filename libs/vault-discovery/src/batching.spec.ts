import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from './batching.js';

describe('inParallel', () => {
  it('default: in the order of the items, so many at a time', async () => {
    let [running, most] = [0, 0];
    const results = await inParallel([3, 1, 2], 2, async (item) => {
      most = Math.max(most, ++running);
      await pause(item);
      running -= 1;
      return item * 10;
    });
    expect([results, most]).toEqual([[30, 10, 20], 2]);
  });

  it('error: the first failure, after open work has ended; no other work begins', async () => {
    const [begun, ended]: [number[], number[]] = [[], []];
    const working = inParallel([0, 1, 2, 3], 2, async (item) => {
      begun.push(item);
      await pause(item === 0 ? 1 : 20);
      ended.push(item);
      if (item === 0) throw new Error('no');
    });
    await expect(working).rejects.toThrow('no');
    expect([begun, ended]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
});
