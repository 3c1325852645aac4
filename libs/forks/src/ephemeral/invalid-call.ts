import { PreflightSimulationError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import type { SimulatedCall } from '../types.js';

/** Why a call could be part of no block. */
export type InvalidCallReason =
  'INSUFFICIENT_BALANCE' | 'INTRINSIC_GAS_TOO_LOW' | 'FEE_TOO_LOW' | 'NOT_INCLUDED';

const details: Readonly<Record<InvalidCallReason, string>> = {
  INSUFFICIENT_BALANCE: 'A sender cannot pay for the gas and the value of its call.',
  INTRINSIC_GAS_TOO_LOW: 'The gas of a call is less than the least that a transaction uses.',
  FEE_TOO_LOW: 'The fee of a call is below the base fee of the block, or below its own priority fee.',
  NOT_INCLUDED: 'A call could not be included in a block.',
};

// The words of Anvil 1.7, and the codes that `eth_simulateV1` got later.
const reasons: readonly (readonly [InvalidCallReason, RegExp, number | undefined])[] = [
  ['INSUFFICIENT_BALANCE', /insufficient funds/i, -38014],
  ['INTRINSIC_GAS_TOO_LOW', /intrinsic gas|CallGasCostMoreThanGasLimit/i, -38013],
  [
    'FEE_TOO_LOW',
    /max fee per gas less than|priority fee.*(higher|greater)|PriorityFeeGreaterThanMaxFee/i,
    -38012,
  ],
];

/** Make the error for a call that could be part of no block. Nothing was simulated. */
export function invalidCall(revertReason: InvalidCallReason, cause?: unknown): PreflightSimulationError {
  return new PreflightSimulationError({ detail: details[revertReason], details: { revertReason }, cause });
}

/** Recognise that a node refused a call as part of no block; undefined for every other error. */
export function asInvalidCall(error: unknown): PreflightSimulationError | undefined {
  if (!(error instanceof RpcRequestError)) return undefined;
  const found = reasons.find(([, words, code]) => error.code === code || words.test(error.details));
  return found && invalidCall(found[0], error);
}

/**
 * Check what nodes do not check when they only simulate.
 *
 * @throws {PreflightSimulationError} a call pays less than the base fee, or less than its own priority fee
 */
export function checkFees(calls: readonly SimulatedCall[], baseFeePerGas: bigint): void {
  for (const { maxFeePerGas, maxPriorityFeePerGas = 0n } of calls) {
    if (maxFeePerGas === undefined) continue;
    if (maxFeePerGas < baseFeePerGas || maxFeePerGas < maxPriorityFeePerGas) throw invalidCall('FEE_TOO_LOW');
  }
}
