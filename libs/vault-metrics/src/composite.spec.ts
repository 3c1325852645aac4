import { exitMethods, strategies } from '@yield-vault/protocol';
import fc from 'fast-check';
import { compositeScore } from './composite.js';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const percent = number(-99.99, 1_000);
const ratio = number(-10, 10);
const input = fc.record({
  apy: fc.record({ now: percent, week: percent, month: percent }),
  riskScore: number(0, 100),
  sharpe: fc.record({ week: ratio, month: ratio }),
  tvlUsd: number(0, 1e11),
  historyDays: number(0, 400),
  exitMethod: fc.constantFrom(...exitMethods),
  accrues: fc.boolean(),
});

describe('compositeScore', () => {
  it('behavior: a worse known exit, or a price that one reporter sets, never raises the score', () => {
    fc.assert(
      fc.property(input, fc.constantFrom(...strategies), number(0, 100), (given, strategy, riskier) => {
        const { score } = compositeScore({ ...given, exitMethod: 'simulated', accrues: true }, strategy);
        const half = compositeScore({ ...given, exitMethod: 'simulated', accrues: false }, strategy).score;
        const riskScore = Math.max(given.riskScore, riskier);
        const none = compositeScore({ ...given, riskScore, exitMethod: 'unknown' }, strategy).score;
        expect(half).toBeLessThanOrEqual(score + 1e-9);
        expect(none).toBeLessThanOrEqual(half + 1e-9);
      }),
      { numRuns: 500 },
    );
  });

  it('behavior: weights add up to 1', () => {
    fc.assert(
      fc.property(input, fc.constantFrom(...strategies), (given, strategy) => {
        const { weights } = compositeScore(given, strategy);
        expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
      }),
      { numRuns: 200 },
    );
  });
});
