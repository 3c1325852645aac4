import { concat, getAddress, size, slice, type Address, type Hex } from 'viem';

const prefix = '0xef0100';
const designatorBytes = 23;

/** The code of an externally owned account that delegates to an implementation (EIP-7702). */
export function delegationCode(implementation: Address): Hex {
  return concat([prefix, implementation]).toLowerCase() as Hex;
}

/** Read the implementation out of a delegation; `undefined` for any other code. */
export function parseDelegation(code: Hex): Address | undefined {
  if (size(code) !== designatorBytes || slice(code, 0, 3).toLowerCase() !== prefix) return undefined;
  return getAddress(slice(code, 3));
}
