/** Terms under which the USDC paymaster charges, as `tokenPerNative()` returns them. */
export interface PaymasterRate {
  /** Base units of USDC for one ether, markup included. */
  readonly tokenPerNative: bigint;
}

/** What an operation may use, in gas and wei per gas. */
export interface PaymasterCharge extends PaymasterRate {
  /** Gas the entry point bills: the sum of the five limits for the most it can be, less for an expectation. */
  readonly gas: bigint;
  /** Fee per gas: `maxFeePerGas` for the most it can be. */
  readonly feePerGas: bigint;
  /** The operation's `paymasterPostOpGasLimit`. */
  readonly postOpGasLimit: bigint;
}

/** Gas that the paymaster charges for its own `postOp`; `POST_OP_GAS` on chain. */
export const paymasterPostOpGas = 25_000n;

/** Above this limit the entry point penalises unused `postOp` gas, and the paymaster charges a tenth of the limit. */
export const postOpPenaltyThreshold = 40_000n;

const weiPerEther = 10n ** 18n;
const penaltyDivisor = 10n;

/**
 * Compute what the USDC paymaster takes for an operation, as it does on chain.
 *
 * @returns Base units of USDC, rounded up. With the five limits and `maxFeePerGas` this is the prefund that validation
 * pulls; with gas used and the effective fee it is the final charge.
 * @example
 * paymasterCharge({ tokenPerNative, gas: 600_000n, feePerGas: 3_000_000_000n, postOpGasLimit: 40_000n });
 */
export function paymasterCharge({ tokenPerNative, gas, feePerGas, postOpGasLimit }: PaymasterCharge): bigint {
  const penalty = postOpGasLimit > postOpPenaltyThreshold ? postOpGasLimit / penaltyDivisor : 0n;
  return chargeFor((gas + paymasterPostOpGas + penalty) * feePerGas, tokenPerNative);
}

/**
 * Compute the most that the USDC paymaster takes for an operation of EntryPoint v0.7, which penalises a tenth of all
 * unused gas of the call and of `postOp`.
 *
 * @param charge.callGasLimit The operation's `callGasLimit`.
 * @returns Base units of USDC, rounded up. With the five limits and `maxFeePerGas` this is the prefund that validation
 * pulls.
 */
export function paymasterChargeV07({
  tokenPerNative,
  gas,
  feePerGas,
  postOpGasLimit,
  callGasLimit,
}: PaymasterCharge & { readonly callGasLimit: bigint }): bigint {
  const penalty = postOpGasLimit / penaltyDivisor + callGasLimit / penaltyDivisor;
  return chargeFor((gas + paymasterPostOpGas + penalty) * feePerGas, tokenPerNative);
}

function chargeFor(wei: bigint, tokenPerNative: bigint): bigint {
  return (wei * tokenPerNative + weiPerEther - 1n) / weiPerEther;
}
