import fc from 'fast-check';
import { assessRisk, type RiskInput, riskWords } from './risk.js';

/** Best first. */
const byValue = (words: Readonly<Record<string, number>>) =>
  fc.constantFrom(...Object.entries(words).sort(([, a], [, b]) => a - b));
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Two values of one input, the better one first. */
type Pair = readonly [unknown, unknown];
const lower = (values: fc.Arbitrary<number>): fc.Arbitrary<Pair> =>
  fc.tuple(values, values).map(([a, b]) => (a <= b ? [a, b] : [b, a]));
const higher = (values: fc.Arbitrary<number>): fc.Arbitrary<Pair> => lower(values).map(([a, b]) => [b, a]);
const word = (words: Readonly<Record<string, number>>): fc.Arbitrary<Pair> =>
  fc.tuple(byValue(words), byValue(words)).map(([a, b]) => (a[1] <= b[1] ? [a[0], b[0]] : [b[0], a[0]]));
/** A multisig is between the two, by its threshold. */
const admins = fc.constantFrom('dao', 'timelock', 'multisig');

const pairs: { readonly [Name in keyof RiskInput]-?: fc.Arbitrary<Pair> } = {
  admin: fc.oneof(
    admins.map((admin): Pair => ['immutable', admin]),
    admins.map((admin): Pair => [admin, 'eoa']),
  ),
  timelock: higher(
    fc.oneof(fc.constantFrom(0, 1, 21_600, 86_400, 172_800, 259_200, 604_800), number(0, 1e6)),
  ),
  audits: higher(fc.nat({ max: 6 })),
  curator: word(riskWords.curator),
  strategy: word(riskWords.strategy),
  ageDays: higher(number(0, 2_000)),
  tvlUsd: higher(fc.oneof(number(0, 2e6), number(0, 1e10))),
  top1Share: lower(number(0, 1)),
  maxDrawdown90d: lower(number(0, 1)),
  volAnnual: lower(number(0, 10)),
  apyNow: lower(number(-99.99, 1_000)),
  benchmarkApy: higher(number(0.01, 100)),
  safeThreshold: higher(fc.nat({ max: 5 })),
  exitUsd: higher(fc.oneof(number(0, 20_000), number(0, 1e9))),
  exitFraction: higher(fc.oneof(number(0, 0.03), number(0, 1))),
  exitFractionP10: higher(number(0, 1)),
  exitMethod: fc.constantFrom<Pair>(['simulated', 'idle'], ['protocol', 'idle'], ['idle', 'unknown']),
  isAsync: fc.constant([false, true]),
  assetClass: word(riskWords.assetClass),
  oracle: word(riskWords.oracle),
  loss30d: lower(number(0, 1)),
  depeg: lower(number(0, 1)),
  hasJump7d: fc.constant([false, true]),
  daysSinceIncident: higher(number(0, 200)),
};
const names = Object.keys(pairs) as (keyof RiskInput)[];
const valueOf = (name: keyof RiskInput) =>
  fc.tuple(pairs[name], fc.nat({ max: 1 })).map(([pair, side]) => pair[side]);
const base = fc.record(Object.fromEntries(names.map((name) => [name, valueOf(name)])), {
  requiredKeys: [],
}) as fc.Arbitrary<RiskInput>;
const improvement = fc.constantFrom(...names).chain((name) => fc.tuple(fc.constant(name), pairs[name]));

/** No factor hides what another one does. */
const perfect: RiskInput = {
  admin: 'immutable',
  timelock: 0,
  safeThreshold: 3,
  audits: 9,
  curator: 'none_needed',
  strategy: 'savings',
  ageDays: 3_000,
  tvlUsd: 1e9,
  top1Share: 0,
  maxDrawdown90d: 0,
  volAnnual: 0,
  apyNow: 4,
  benchmarkApy: 4,
  exitUsd: 1e9,
  exitFraction: 1,
  exitFractionP10: 1,
  exitMethod: 'simulated',
  isAsync: false,
  assetClass: 'native',
  oracle: 'none',
  loss30d: 0,
  depeg: 0,
  hasJump7d: false,
};

describe('assessRisk', () => {
  it('behavior: known facts and gets better never makes the score worse', () => {
    fc.assert(
      fc.property(base, improvement, (input, [name, [better, worse]]) => {
        const improved = assessRisk({ ...input, [name]: better });
        const before = assessRisk({ ...input, [name]: worse });
        expect(improved.score).toBeLessThanOrEqual(before.score);
      }),
      { numRuns: 1_500 },
    );
  });

  it('behavior: an input that is removed never lowers the score', () => {
    const removable = names.filter((name) => name !== 'daysSinceIncident');
    fc.assert(
      fc.property(base, fc.subarray(names, { maxLength: 3 }), fc.boolean(), (input, kept, isNaN) => {
        const given = { ...perfect, ...Object.fromEntries(kept.map((name) => [name, input[name]])) };
        const before = assessRisk(given);
        for (const name of removable) {
          const unknown = isNaN && typeof given[name] === 'number' ? NaN : undefined;
          const { score, base: sum } = assessRisk({ ...given, [name]: unknown });
          expect([name, score >= before.score, sum >= before.base - 1e-9]).toEqual([name, true, true]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('behavior: an admin of another word is unknown, whatever its delay', () => {
    const { factors, floors } = assessRisk({ ...perfect, admin: 'other', timelock: 604_800 });
    expect([factors.admin, floors.map(({ reason }) => reason)]).toEqual([null, ['admin-unknown']]);
  });

  it('behavior: a score from 0 to 100, for numbers that are none too', () => {
    const anyNumber = fc.constantFrom(NaN, Infinity, -Infinity, 0, -1, 1e300);
    fc.assert(
      fc.property(base, fc.constantFrom(...names), anyNumber, (input, name, odd) => {
        const { score, base: sum, coverage } = assessRisk({ ...input, [name]: odd });
        for (const value of [score, sum, coverage]) expect(value >= 0 && value <= 100).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
