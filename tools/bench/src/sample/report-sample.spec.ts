import { reportSample } from './report-sample.js';

const run = {
  vaults: 10_000,
  snapshots: 10_000,
  ethCalls: 151,
  sampleMs: [900, 1_200, 1_000],
  rpcMs: [800, 500],
  stallMs: [9],
};

describe('reportSample', () => {
  it('default: calls against the goal, time beside the bare calls', () => {
    const report = reportSample(run);
    expect(report).toMatch(/\| eth_calls +\| +151 \| +<= 400 \| +met \|/);
    expect(report).toMatch(/\| ratio +\| +1\.54 \|/);
    expect(report).not.toContain('MISSED');
  });

  it('behavior: too many calls and missing snapshots are no success', () => {
    const rows = reportSample({ ...run, snapshots: 9_999, ethCalls: 401 }).split('\n');
    expect(rows.filter((row) => row.includes('MISSED'))).toHaveLength(2);
  });
});
