import type { Hex } from 'viem';

const halfOfCurveOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Compare addresses, hashes or call data in any case of their digits. `undefined` equals nothing. */
export function sameHex(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase();
}

/** Check whether `s` is in the lower half of the curve order of secp256k1, so that the signature has no twin. */
export function isLowS(s: Hex): boolean {
  return BigInt(s) <= halfOfCurveOrder;
}
