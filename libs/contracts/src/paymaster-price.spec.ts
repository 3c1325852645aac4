import { concatHex, numberToHex } from 'viem';
import { paymasterTermsSlot, withoutPriceExpiry } from './paymaster-price.js';

/** The word of `terms`, highest field first. */
const word = (ceiling: bigint, markup: number, refreshAt: number, validUntil: number, price: bigint) =>
  concatHex([
    '0x0000',
    numberToHex(ceiling, { size: 8 }),
    numberToHex(markup, { size: 2 }),
    numberToHex(refreshAt, { size: 6 }),
    numberToHex(validUntil, { size: 6 }),
    numberToHex(price, { size: 8 }),
  ]);
const never = 2 ** 47 - 1;

describe('withoutPriceExpiry', () => {
  it('default: both times become the largest that reads as a time everywhere', () => {
    expect(withoutPriceExpiry(word(10_000_000n, 500, 1_800_000_900, 1_800_001_800, 2_500_000_000n))).toBe(
      word(10_000_000n, 500, never, never, 2_500_000_000n),
    );
  });

  it('behavior: fields at their bounds stay as they are', () => {
    const most = 2n ** 64n - 1n;
    expect(withoutPriceExpiry(word(most, 65_535, 0, 0, most))).toBe(word(most, 65_535, never, never, most));
    expect(withoutPriceExpiry(word(0n, 0, 0, 0, 0n))).toBe(word(0n, 0, never, never, 0n));
  });

  it('behavior: the slot is a whole word', () => {
    expect(paymasterTermsSlot).toHaveLength(66);
  });
});
