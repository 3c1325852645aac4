import { hexToBigInt, type Address } from 'viem';

const sequenceBits = 64;

/** Compute the uint192 nonce key that makes the account validate with a module: its address in the top 20 bytes. */
export function nonceKey(validator: Address): bigint {
  return hexToBigInt(validator) << 32n;
}

/** Split the nonce of a user operation as its entry point does: each key counts a sequence of its own. */
export function splitNonce(nonce: bigint): { readonly key: bigint; readonly sequence: bigint } {
  return { key: nonce >> BigInt(sequenceBits), sequence: BigInt.asUintN(sequenceBits, nonce) };
}
