import { meetsBodiesGoal, reportBodies } from './report-bodies.js';

const result = (kind: string, delayMs: number, status = 400) => ({
  ...{ path: '/v1/yield/discover', kind, body: '', status, delayMs },
});

describe('reportBodies', () => {
  it('default: the worst delay of each kind and of all, with the goal', () => {
    const rows = reportBodies([result('deep', 1), result('deep', 3), result('wide', 20.1, 200)]).split('\n');
    expect(
      rows.slice(2).map((row) =>
        row
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, -1),
      ),
    ).toEqual([
      ['/v1/yield/discover, deep', '2', '400', '2.0', '3.0', '<= 20', 'met'],
      ['/v1/yield/discover, wide', '1', '200', '20.1', '20.1', '<= 20', 'MISSED'],
      ['all', '3', '200 400', '3.0', '20.1', '<= 20', 'MISSED'],
    ]);
  });

  it('behavior: an internal error misses the goal', () => {
    expect(meetsBodiesGoal([result('deep', 1)])).toBe(true);
    expect(meetsBodiesGoal([result('deep', 1, 500)])).toBe(false);
  });
});
