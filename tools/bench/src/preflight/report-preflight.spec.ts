import { meetsPreflightGoals, percentile95, reportPreflight } from './report-preflight.js';
import type { PreflightRun, Sample } from './run-preflight.js';

const sample = (ms: number, ...requests: number[]): Sample => ({ ms: [ms, ms, ms], requests });
const run: PreflightRun = {
  latency: 50,
  delayed: {
    roundTrip: sample(52, 1),
    naive: sample(2_000, 77),
    sameBlock: sample(55, 1, 1),
    newBlock: sample(65, 1, 1),
  },
  local: { naive: sample(200, 0), ours: sample(15, 0) },
  perSecond: { naive: 30, ours: 600 },
};

describe('percentile95', () => {
  it('default: the value that 95 of 100 do not exceed', () => {
    expect(percentile95(Array.from({ length: 100 }, (_, index) => 100 - index))).toBe(95);
    expect(percentile95([7])).toBe(7);
  });
});

describe('reportPreflight', () => {
  it('default: a line for each row, with its ratio and goal', () => {
    const report = reportPreflight(run);
    expect(report).toMatch(
      /\| new block, \+50 ms +\| +65 ms \| +65 ms \| +1, at most 1 \| +1\.25 round trips, 31x \|.*\| +met \|/,
    );
    expect(report).toMatch(/\| simulations per second +\| +600 \|.*\| +20x \|/);
    expect(report).not.toContain('MISSED');
    expect(meetsPreflightGoals(run)).toBe(true);
  });

  it.each<[string, Partial<PreflightRun>]>([
    ['same block', { delayed: { ...run.delayed, sameBlock: sample(65.1, 1) } }],
    ['new block', { delayed: { ...run.delayed, newBlock: sample(52, 1, 2) } }],
    ['ours from the second on', { local: { ...run.local, ours: sample(15.1, 0) } }],
  ])('behavior: %s misses its goal', (name, worse) => {
    const missed = reportPreflight({ ...run, ...worse })
      .split('\n')
      .filter((line) => line.includes('MISSED'));
    expect(missed).toHaveLength(1);
    expect(missed[0]).toContain(name);
    expect(meetsPreflightGoals({ ...run, ...worse })).toBe(false);
  });
});
