import { gasSteps, type GasProfile } from './measure-gas.js';
import { depositGoal, meetsGoal, reportGas } from './report-gas.js';

const profile = (gasUsed: bigint, usdcPaid?: bigint) =>
  Object.fromEntries(gasSteps.map((step) => [step, { gasUsed, usdcPaid }])) as unknown as GasProfile;

describe('reportGas', () => {
  it('behavior: thousands, ratios and the goal', () => {
    const report = reportGas(profile(100_000n), profile(160_000n), profile(depositGoal, 12_345n));
    expect(report).toMatch(
      /\| first deposit +\| 100\.0 \| +160\.0 \| 235\.0 \| +2\.35 \| +1\.47 \| +0\.012345 \|/,
    );
    expect(report).toContain('at most 235.0k: met.');
  });

  it('behavior: a contender without a step has no ratio', () => {
    expect(reportGas(profile(0n), profile(1n), profile(1n))).toMatch(/\| setup +\| +0\.0 .*\| +- \|/);
  });

  it('behavior: one gas above the goal misses it', () => {
    expect(meetsGoal(profile(depositGoal))).toBe(true);
    expect(meetsGoal(profile(depositGoal + 1n))).toBe(false);
  });
});
