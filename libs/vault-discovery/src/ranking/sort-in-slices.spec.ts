import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPace } from '../pace.js';
import { sortInSlices } from './sort-in-slices.js';

/** Keys that look random, repeat, and are the same in every run. */
function scrambled(count: number): Float64Array {
  let seed = 7;
  return Float64Array.from({ length: count }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % 1_000;
  });
}

describe('sortInSlices', () => {
  it.each([0, 1, 2, 2_047, 2_048, 2_049, 4_096, 10_000])(
    'default: sorts %i keys, equal ones in their order',
    async (count) => {
      const keys = scrambled(count);
      const expected = [...keys.keys()].sort((a, b) => keys[a]! - keys[b]! || a - b);
      const order = await sortInSlices(count, (a, b) => keys[a]! - keys[b]!, createPace());
      expect([...order]).toEqual(expected);
    },
  );

  it('behavior: pauses whenever the pace asks for it', async () => {
    let pauses = 0;
    const pace = { isDue: () => true, pause: () => nextTurn().then(() => void pauses++) };
    await sortInSlices(10_000, (a, b) => b - a, pace);
    expect(pauses).toBeGreaterThanOrEqual(5);
  });
});
