import { gasSteps, type GasProfile } from './measure-gas.js';
import { gasGoals, missedGoals, reportGas } from './report-gas.js';

const profile = (gasUsed: bigint, chargedGas?: bigint) =>
  Object.fromEntries(gasSteps.map((step) => [step, { gasUsed, chargedGas }])) as unknown as GasProfile;

describe('reportGas', () => {
  it('behavior: thousands and goals; a contender without a paymaster is not charged', () => {
    const plain = profile(100_000n);
    const report = reportGas({
      plain,
      reference: plain,
      safe: profile(300_000n, 290_000n),
      ours: profile(80_000n, 178_000n),
    });
    expect(report).toMatch(
      /\| first deposit +\| 100\.0 \| +100\.0 \| 300\.0 \| +290\.0 \| 80\.0 \| +178\.0 \|/,
    );
    expect(report).toContain('second deposit, at most 187.0k: met.');
    expect(report).not.toContain('missed');
  });

  it('behavior: one gas above a goal misses it', () => {
    expect(missedGoals(profile(80_000n))).toEqual([]);
    expect(missedGoals(profile(80_001n)).map(({ step }) => step)).toEqual(['setup']);
    expect(missedGoals(profile(187_001n))).toEqual(gasGoals);
  });
});
