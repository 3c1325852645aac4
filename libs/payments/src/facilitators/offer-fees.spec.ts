import { assumeFees, isEnough, offerFees } from './offer-fees.js';

const asked = { block: 1n, baseFee: 100n, tip: 8n };

describe('offerFees', () => {
  it('default: room for twice the base fee', () => {
    expect(offerFees(asked)).toEqual({ maxFeePerGas: 208n, maxPriorityFeePerGas: 8n });
  });

  it('behavior: no more than the limit, of which the tip is a part', () => {
    expect(offerFees(asked, 120n)).toEqual({ maxFeePerGas: 120n, maxPriorityFeePerGas: 8n });
    expect(offerFees(asked, 5n)).toEqual({ maxFeePerGas: 5n, maxPriorityFeePerGas: 5n });
  });

  it.each([1n, 9n, 1_000n, 12_345_678_901n])('behavior: replaces an offer of %d', (fee) => {
    const replaced = { maxFeePerGas: fee, maxPriorityFeePerGas: fee };
    const { maxFeePerGas, maxPriorityFeePerGas } = offerFees(asked, undefined, replaced);
    for (const offered of [maxFeePerGas, maxPriorityFeePerGas]) {
      expect(offered).toBeGreaterThan(fee);
      expect(offered * 100n).toBeGreaterThanOrEqual(fee * 110n);
    }
    expect(isEnough({ maxFeePerGas, maxPriorityFeePerGas }, asked)).toBe(true);
  });
});

describe('assumeFees', () => {
  it('behavior: what replaces it replaces all that offers too little', () => {
    const { maxFeePerGas, maxPriorityFeePerGas } = offerFees(asked, undefined, assumeFees(asked));
    expect(isEnough({ maxFeePerGas: 107n, maxPriorityFeePerGas: 107n }, asked)).toBe(false);
    for (const offered of [maxFeePerGas, maxPriorityFeePerGas])
      expect(offered * 100n).toBeGreaterThanOrEqual(107n * 110n);
  });
});

describe('isEnough', () => {
  it.each([
    [108n, 8n, true],
    [107n, 8n, false],
    [300n, 7n, false],
  ])('default: %d with a tip of %d: %s', (maxFeePerGas, maxPriorityFeePerGas, expected) => {
    expect(isEnough({ maxFeePerGas, maxPriorityFeePerGas }, asked)).toBe(expected);
  });
});
