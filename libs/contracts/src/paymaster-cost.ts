/** Terms under which the USDC paymaster charges, as `tokenPerNative()` returns them. */
export interface PaymasterRate {
  /** Base units of USDC for one ether, markup included. */
  readonly tokenPerNative: bigint;
}

/** Gas and fees of an operation. */
export interface PaymasterCharge extends PaymasterRate {
  /** Gas that the entry point bills. The sum of the five limits gives the maximum. */
  readonly gas: bigint;
  /** Wei per gas. `maxFeePerGas` gives the maximum. */
  readonly feePerGas: bigint;
  /** The operation's `paymasterPostOpGasLimit`. */
  readonly postOpGasLimit: bigint;
}

/** Gas that the paymaster charges for its own `postOp`; `POST_OP_GAS` on chain. */
export const paymasterPostOpGas = 11_200n;

/** The `paymasterPostOpGasLimit` with which `postOp` can refresh the paymaster's price. */
export const paymasterRefreshGas = 120_000n;

/** Above this limit the entry point penalises unused `postOp` gas, and the paymaster charges a tenth of the limit. */
export const postOpPenaltyThreshold = 40_000n;

const weiPerEther = 10n ** 18n;
const penaltyDivisor = 10n;

/**
 * Compute the charge of the USDC paymaster for an operation, as the contract does.
 *
 * @returns Base units of USDC, rounded up. With the five limits and `maxFeePerGas` this is the prefund. With the gas used
 * and the effective fee it is the final charge.
 * @example
 * paymasterCharge({ tokenPerNative, gas: 600_000n, feePerGas: 3_000_000_000n, postOpGasLimit: 40_000n });
 */
export function paymasterCharge({ tokenPerNative, gas, feePerGas, postOpGasLimit }: PaymasterCharge): bigint {
  const penalty = postOpGasLimit > postOpPenaltyThreshold ? postOpGasLimit / penaltyDivisor : 0n;
  const wei = (gas + paymasterPostOpGas + penalty) * feePerGas;
  return (wei * tokenPerNative + weiPerEther - 1n) / weiPerEther;
}
