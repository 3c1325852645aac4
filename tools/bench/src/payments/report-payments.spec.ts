import type { Times } from './measure-payments.js';
import { meetsPaymentsGoals, reportPayments } from './report-payments.js';
import type { PaymentsRun } from './run-payments.js';

const times = (free: number, paid: number): Times => ({
  free: [free, free, free],
  paid: [paid, paid, paid],
});
const run: PaymentsRun = {
  database: 'PostgreSQL',
  unpaid: times(1, 2),
  verify: times(0, 5),
  soak: { settled: 300, repeated: 30, retried: 2, received: 3_000_000n },
};

describe('reportPayments', () => {
  it('default: both goals and the soak', () => {
    const report = reportPayments(run);
    expect(report).toMatch(
      /\| 402 for an unpaid request +\| +2\.00 ms \| +1\.00 ms \| +1\.00 ms \| p50 <= 1 ms \| +met \|/,
    );
    expect(report).toContain('300 payments (30 sent twice, 2 responses 503), 3000000 base units');
    expect(report).not.toContain('MISSED');
    expect(meetsPaymentsGoals(run)).toBe(true);
  });

  it.each<[string, Partial<PaymentsRun>]>([
    ['402 for an unpaid request', { unpaid: times(1, 2.01) }],
    ['until the handler of a paid request', { verify: times(0, 5.01) }],
    ['Soak', { soak: { ...run.soak, received: 3_000_001n } }],
    ['Soak', { soak: { ...run.soak, received: 2_990_000n } }],
  ])('behavior: %s misses its goal', (name, worse) => {
    const missed = reportPayments({ ...run, ...worse })
      .split('\n')
      .filter((line) => line.includes('MISSED'));
    expect(missed).toHaveLength(1);
    expect(missed[0]).toContain(name);
    expect(meetsPaymentsGoals({ ...run, ...worse })).toBe(false);
  });
});
