import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPace } from './pace.js';
import { sortInSlices } from './sort-in-slices.js';

/** Numbers that look random and are the same in every run. */
function scrambled(count: number): { key: number; place: number }[] {
  let seed = 7;
  return Array.from({ length: count }, (_, place) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return { key: seed % 1_000, place };
  });
}

const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;

describe('sortInSlices', () => {
  it.each([0, 1, 2, 2_047, 2_048, 2_049, 10_000])(
    'default: sorts %i items as toSorted does',
    async (count) => {
      const items = scrambled(count);
      const expected = [...items].sort(byKey);
      expect(await sortInSlices(items, byKey, createPace())).toEqual(expected);
    },
  );

  it('behavior: leaves the items as they were', async () => {
    const items = scrambled(5_000);
    const before = [...items];
    await sortInSlices(items, byKey, createPace());
    expect(items).toEqual(before);
  });

  it('behavior: pauses whenever the pace asks for it', async () => {
    let pauses = 0;
    const pace = { isDue: () => true, pause: () => nextTurn().then(() => void pauses++) };
    await sortInSlices(scrambled(10_000), byKey, pace);
    expect(pauses).toBeGreaterThanOrEqual(5);
  });
});
