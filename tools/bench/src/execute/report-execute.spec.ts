import { meetsExecuteGoals, reportExecute } from './report-execute.js';

const run = (own: number, simulation: number) => ({
  off: { before: [5], bundler: [100], after: [own - 5], simulation: [0] },
  enforce: { before: [5 + simulation], bundler: [100], after: [own - 5], simulation: [simulation] },
});

describe('reportExecute', () => {
  it.each([
    [15, true],
    [16, false],
  ])('behavior: %d ms beside bundler and simulation', (own, isMet) => {
    expect(meetsExecuteGoals(run(own, 20))).toBe(isMet);
    const rows = reportExecute(run(own, 20)).split('\n');
    expect(rows).toHaveLength(4);
    expect(rows[3]).toMatch(isMet ? / met \|$/ : / MISSED \|$/);
  });
});
