import { reportRecompute } from './report-recompute.js';

const run = { vaults: 10_000, cpuSeconds: [1.5, 1.9, 2.5], delayMs: [9], indexMs: [12, 14, 30] };

describe('reportRecompute', () => {
  it('default: medians against their goals', () => {
    const report = reportRecompute(run);
    expect(report).toMatch(/\| CPU time \(s\) +\| +1\.90 \| +< 2 \| +met \|/);
    expect(report).toMatch(/\| ranking \(ms\) +\| +14\.0 \| +< 20 \| +met \|/);
  });

  it('behavior: a goal that is just not reached is missed', () => {
    const rows = reportRecompute({ ...run, cpuSeconds: [2], indexMs: [20] }).split('\n');
    expect(rows.filter((row) => row.includes('MISSED'))).toHaveLength(2);
  });
});
