import { reportRecompute } from './report-recompute.js';

const calm = { delayP99: 1.2, delayMax: 2, answerP99: 1 };

describe('reportRecompute', () => {
  it.each([
    [[1.5, 1.9, 2.5], 'met'],
    [[1.5, 2, 2.5], 'MISSED'],
  ])('default: the median of %j against the goal is %s', (cpuSeconds, verdict) => {
    const report = reportRecompute({ vaults: 10_000, cpuSeconds, during: calm, without: calm });
    expect(report.split('\n')[0]).toContain(`goal below 2 s: ${verdict}.`);
    expect(report).toContain('(3 rounds, 1.50 to 2.50 s)');
  });
});
