import { cacheFor } from './timing.js';

describe('cacheFor', () => {
  it('default: reads once for all callers, and again when the result is old', async () => {
    let time = 0;
    let reads = 0;
    const read = cacheFor(
      1_000,
      () => Promise.resolve((reads += 1)),
      () => time,
    );
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    time = 999;
    expect(await read()).toBe(1);
    time = 1_000;
    expect(await read()).toBe(2);
  });
});
