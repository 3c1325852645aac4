import { rememberFor } from './remember-for.js';

describe('rememberFor', () => {
  it('default: asks once for everybody, and again when the answer is old', async () => {
    let time = 0;
    let asked = 0;
    const read = rememberFor(
      1_000,
      () => Promise.resolve((asked += 1)),
      () => time,
    );
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    time = 999;
    expect(await read()).toBe(1);
    time = 1_000;
    expect(await read()).toBe(2);
  });
});
