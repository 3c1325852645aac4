import { parseValidationData } from './parse-validation-data.js';

const pack = (authorizer: bigint, validUntil: bigint, validAfter: bigint) =>
  authorizer | (validUntil << 160n) | (validAfter << 208n);

describe('parseValidationData', () => {
  it('default', () => {
    expect(parseValidationData(pack(0n, 1_790_000_600n, 1_790_000_000n))).toEqual({
      validUntil: 1_790_000_600,
      validAfter: 1_790_000_000,
    });
  });

  it('behavior: an end of zero is none', () => {
    expect(parseValidationData(0n)).toEqual({ validUntil: Infinity, validAfter: 0 });
  });

  it('behavior: a wrong signature and an aggregator are refusals', () => {
    expect(parseValidationData(pack(1n, 1_790_000_600n, 0n))).toBeUndefined();
    expect(parseValidationData(pack(2n ** 159n, 0n, 0n))).toBeUndefined();
  });
});
