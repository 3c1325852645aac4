import type { Times } from './measure-payments.js';
import { meetsPaymentsGoals, reportPayments } from './report-payments.js';
import type { PaymentsRun } from './run-payments.js';

const times = (bare: number, ours: number, stock: number): Times => ({
  bare: [bare, bare, bare],
  ours: [ours, ours, ours],
  stock: [stock, stock, stock],
});
const run: PaymentsRun = {
  database: 'PostgreSQL',
  unpaid: times(1, 2, 3),
  verify: times(0, 5, 4),
  rates: [
    { concurrency: 1, ours: 50, stock: 60 },
    { concurrency: 16, ours: 90, stock: 80 },
  ],
  soak: { answered: 300, repeated: 30, retried: 2, received: 3_000_000n },
};

describe('reportPayments', () => {
  it('default: ours beside the stock middleware and the goals', () => {
    const report = reportPayments(run);
    expect(report).toMatch(
      /\| 402 for an unpaid request +\| +2\.00 ms \| +2\.00 ms \| +3\.00 ms \| +3\.00 ms \| +1\.00 ms \| +1\.00 ms \| p50 <= 1 ms \| +met \|/,
    );
    expect(report).toMatch(/\| paid requests, 16 at a time +\| +90\/s \| +- \| +80\/s \|/);
    expect(report).toContain('300 payments settled (30 sent twice, 2 answers 503), 3000000 base units');
    expect(report).not.toContain('MISSED');
    expect(meetsPaymentsGoals(run)).toBe(true);
  });

  it.each<[string, Partial<PaymentsRun>]>([
    ['402 for an unpaid request', { unpaid: times(1, 2.01, 3) }],
    ['until the handler is reached', { verify: times(0, 5.01, 4) }],
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
