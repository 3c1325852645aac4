import { numberToHex } from 'viem';
import { isLowS, sameHex } from './hex.js';

// The order of secp256k1: SEC 2, section 2.4.1.
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('sameHex', () => {
  it('default', () => {
    expect(sameHex('0xAbCd', '0xaBcD')).toBe(true);
    expect(sameHex('0xab', '0xac')).toBe(false);
  });

  it('behavior: undefined equals nothing', () => {
    expect(sameHex(undefined, '0xab')).toBe(false);
    expect(sameHex('0xab', undefined)).toBe(false);
    expect(sameHex(undefined, undefined)).toBe(false);
  });
});

describe('isLowS', () => {
  it('behavior: half of the curve order is the last low one', () => {
    const half = curveOrder >> 1n;
    expect(isLowS(numberToHex(half))).toBe(true);
    expect(isLowS(numberToHex(half + 1n))).toBe(false);
  });
});
