import { groupBy } from './group-by.js';

describe('groupBy', () => {
  it('default: groups and their items keep their order', () => {
    expect([...groupBy([3, 1, 5, 2], (number) => number % 2)]).toEqual([
      [1, [3, 1, 5]],
      [0, [2]],
    ]);
  });

  it('behavior: nothing makes no group', () => {
    expect(groupBy([], String).size).toBe(0);
  });
});
