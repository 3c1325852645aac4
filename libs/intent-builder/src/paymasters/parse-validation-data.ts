/** When an operation is valid, in Unix seconds; infinite for ever. */
export interface Validity {
  readonly validUntil: number;
  readonly validAfter: number;
}

const maxUint48 = 2n ** 48n - 1n;
const authorizerBits = 160n;

/**
 * Read what a validation answers to the entry point: `authorizer (160) | validUntil (48) << 160 | validAfter (48) << 208`.
 *
 * @returns `undefined` when it refuses, or asks for an aggregator
 */
export function parseValidationData(validationData: bigint): Validity | undefined {
  if (BigInt.asUintN(Number(authorizerBits), validationData) !== 0n) return undefined;
  const validUntil = Number((validationData >> authorizerBits) & maxUint48);
  return {
    validUntil: validUntil === 0 ? Infinity : validUntil,
    validAfter: Number(validationData >> (authorizerBits + 48n)),
  };
}
