import { silentLogger } from '../ports.js';
import { createProgress } from './progress.js';

describe('createProgress', () => {
  let reported: object[];
  const create = () =>
    createProgress({ ...silentLogger, info: (fields) => void reported.push(fields) }, 'base', 'reading');

  beforeEach(() => {
    reported = [];
  });

  it('default: percent, and the time left at the pace so far', () => {
    create().advance(25, 5_000, 75);
    expect(reported).toEqual([{ chain: 'base', percent: 25, done: 25, left: 75, secondsLeft: 15 }]);
  });

  it('behavior: every ten seconds of work, and at the end', () => {
    const progress = create();
    for (let left = 9; left >= 0; left -= 1) progress.advance(1, 4_000, left);
    expect(reported).toMatchObject([
      { done: 1 },
      { done: 4 },
      { done: 7 },
      { done: 10, left: 0, percent: 100 },
    ]);
  });

  it('behavior: work that comes later counts on its own', () => {
    const progress = create();
    progress.advance(10, 1_000, 0);
    progress.advance(1, 1_000, 3);
    expect(reported.at(-1)).toMatchObject({ percent: 25, secondsLeft: 3 });
  });

  it('behavior: nothing done yet is no division by zero', () => {
    create().advance(0, 0, 5);
    expect(reported).toMatchObject([{ percent: 0, secondsLeft: 0 }]);
  });
});
