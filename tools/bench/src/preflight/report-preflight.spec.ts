import type { Latencies, Sample } from './measure-preflight.js';
import { meetsPreflightGoals, percentile95, reportPreflight } from './report-preflight.js';
import type { PreflightRun } from './run-preflight.js';

const sample = (ms: number, requests: number): Sample => ({ ms: [ms, ms, ms], requests: [requests] });
const latencies: Latencies = {
  naive: sample(3_000, 100),
  sameBlock: sample(15, 0),
  newBlock: sample(120, 1),
  firstSeen: sample(200, 2),
  process: sample(180, 2),
};
const run: PreflightRun = {
  latency: 50,
  delayed: latencies,
  loopback: latencies,
  throughput: { naive: 30, ours: 600 },
  memory: { first: 60, last: 65, highest: 80, simulations: 50_000 },
  recoveryMs: [100, 250],
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
      /\| same block, \+50 ms +\| +15 ms \| +15 ms \| +0, at most 0 \| +200x \| +>= 200x, 0 requests \| +met \|/,
    );
    expect(report).toMatch(/\| overlays, throughput +\| +600\/s \|.*\| +20x \| +>= 20x \| +met \|/);
    expect(report).not.toContain('MISSED');
    expect(meetsPreflightGoals(run)).toBe(true);
  });

  it.each<[string, Partial<PreflightRun>]>([
    ['same block', { delayed: { ...latencies, sameBlock: sample(15.1, 0) } }],
    ['same block', { delayed: { ...latencies, sameBlock: sample(1, 1) } }],
    ['new block', { delayed: { ...latencies, newBlock: sample(120, 2) } }],
    ['first-seen operation', { delayed: { ...latencies, firstSeen: sample(201, 2) } }],
    ['overlays, throughput', { throughput: { naive: 30, ours: 599 } }],
    ['host memory at 64 at once', { memory: { ...run.memory, highest: 80.1 } }],
    ['host memory, growth', { memory: { ...run.memory, last: 65.1 } }],
    ['SIGKILL', { recoveryMs: [100, 251] }],
  ])('behavior: %s misses its goal', (name, worse) => {
    const missed = reportPreflight({ ...run, ...worse })
      .split('\n')
      .filter((line) => line.includes('MISSED'));
    expect(missed).toHaveLength(1);
    expect(missed[0]).toContain(name);
    expect(meetsPreflightGoals({ ...run, ...worse })).toBe(false);
  });
});
