import type { GasUse } from './paymaster.js';

/** What Circle's paymaster charges by. */
export interface CircleRate {
  /** Base units of USDC for one ether; `fetchPrice()`. */
  readonly tokenPerNative: bigint;
  /** Gas that is charged for `postOp`; `additionalGasCharge()`. */
  readonly additionalGasCharge: bigint;
  /** Surcharge in basis points; `feeSpread()`. */
  readonly feeSpreadBps: bigint;
}

const weiPerEther = 10n ** 18n;

/**
 * Compute what Circle's paymaster takes, as it does on chain: with the five limits and `maxFeePerGas` the prefund that
 * validation pulls.
 *
 * @returns base units of USDC
 */
export function circleCharge(rate: CircleRate, { gas, feePerGas }: GasUse): bigint {
  const wei = (gas + rate.additionalGasCharge) * feePerGas;
  const base = (wei * rate.tokenPerNative) / weiPerEther + 1n;
  return base + (base * rate.feeSpreadBps) / 10_000n;
}
