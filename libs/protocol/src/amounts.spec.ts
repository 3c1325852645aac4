import fc from 'fast-check';
import vectors from '../test/vectors/amounts.json' with { type: 'json' };
import { formatAmount, minimumOut, parseAmount, percentageToFraction, shareOfBalance } from './amounts.js';
import { InvalidParametersError } from './errors/errors.js';

describe('parseAmount', () => {
  it('default', () => {
    expect(parseAmount('25', 6)).toBe(25_000_000n);
    expect(parseAmount('0.000001', 6)).toBe(1n);
    expect(parseAmount('1.500000000', 6)).toBe(1_500_000n);
    expect(parseAmount('007', 0)).toBe(7n);
  });

  it.each([
    ['zero', '0.0'],
    ['finer than the token', '0.0000001'],
    ['a sign', '-1'],
    ['an exponent', '1e6'],
    ['no digits before the point', '.5'],
    ['no digits after the point', '5.'],
    ['a comma', '1,5'],
    ['empty', ''],
    ['larger than 2^256', '9'.repeat(80)],
  ])('error: InvalidParametersError for %s', (_, amount) => {
    expect(() => parseAmount(amount, 6)).toThrow(InvalidParametersError);
  });

  it('behavior: names the field', () => {
    try {
      parseAmount('0', 6, 'amount');
      throw new Error('parsed');
    } catch (error) {
      expect(error).toMatchObject({
        code: 'INVALID_PARAMETERS',
        details: { violations: [{ field: 'amount', message: 'amount must be above zero.' }] },
      });
    }
  });

  it('property: formatting and parsing agree', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 200n }), fc.nat({ max: 24 }), (value, decimals) => {
        expect(parseAmount(formatAmount(value, decimals), decimals)).toBe(value);
      }),
    );
  });
});

describe('shareOfBalance', () => {
  it.each(vectors.redeem)('vector: $percentage % of $balance', ({ balance, percentage, shares }) => {
    expect(shareOfBalance(BigInt(balance), Number(percentage)).toString()).toBe(shares);
  });

  it('behavior: tiny percentages are decimals, not exponents', () => {
    expect(shareOfBalance(10n ** 30n, 1e-7)).toBe(10n ** 21n);
  });

  it('property: never more than the balance', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 128n }),
        fc.double({ min: 1e-9, max: 100, noNaN: true }),
        (balance, percentage) => {
          const part = shareOfBalance(balance, percentage);
          expect(part >= 0n && part <= balance).toBe(true);
        },
      ),
    );
  });
});

describe('percentageToFraction', () => {
  it.each([
    [100, 100n, 100n],
    [12.5, 125n, 1_000n],
    [33.333333333, 33_333_333_333n, 100_000_000_000n],
    [1e-7, 100_000_000_000n, 10n ** 20n],
  ])('default: %d %%', (percentage, numerator, denominator) => {
    expect(percentageToFraction(percentage)).toEqual({ numerator, denominator });
  });
});

describe('minimumOut', () => {
  it.each(vectors.minOut)('vector: $preview at $bps bps', ({ preview, bps, minOut }) => {
    expect(minimumOut(BigInt(preview), bps).toString()).toBe(minOut);
  });
});
