import { hexToBigInt, type Address } from 'viem';

/** Compute the uint192 nonce key that makes the account validate with a module: its address in the top 20 bytes. */
export function nonceKey(validator: Address): bigint {
  return hexToBigInt(validator) << 32n;
}
