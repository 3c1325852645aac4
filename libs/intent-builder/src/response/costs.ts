import type { UserOperationGas } from '@yield-vault/chains';
import { minBigInt, type ExecutionCosts, type Operation } from '@yield-vault/protocol';
import { breakEvenDays, type Earning } from '@yield-vault/vault-metrics';

const usdcUnit = 1e6;
// Most that a later redeem takes, measured. A first operation writes new storage and may permit.
const laterGas = { verification: 41_000n, paymaster: 60_000n } as const;
// PER_EMPTY_ACCOUNT_COST of EIP-7702.
const authorizationGas = 25_000n;

/**
 * Compute the costs of an operation. One USDC counts as one USD.
 *
 * @param gas - expected charge, in base units of USDC
 * @param exitGas - expected charge of a full redeem, in base units of USDC
 * @param earning - none for a redeem
 */
export function costsOf(gas: bigint, exitGas: bigint, earning?: Earning): ExecutionCosts {
  const [gasUsd, exitGasUsd] = [Number(gas) / usdcUnit, Number(exitGas) / usdcUnit];
  return { gasUsd, exitGasUsd, breakEvenDays: earning ? breakEvenDays(gasUsd + exitGasUsd, earning) : null };
}

/**
 * Estimate the gas of a later full redeem: its call takes about as much gas as a deposit or a partial redeem of the same
 * vault, and half as much as a rebalance.
 *
 * @param bareGas - estimate of the present operation
 * @param isDelegating - whether the present operation holds an authorization
 */
export function exitGasOf(operation: Operation, bareGas: UserOperationGas, isDelegating: boolean): bigint {
  const { callGasLimit, preVerificationGas, paymasterPostOpGasLimit } = bareGas;
  const call = operation === 'rebalance' ? callGasLimit / 2n : callGasLimit;
  const verification = minBigInt(bareGas.verificationGasLimit, laterGas.verification);
  const paymaster = minBigInt(bareGas.paymasterVerificationGasLimit, laterGas.paymaster);
  const authorization = isDelegating ? authorizationGas : 0n;
  return call + verification + paymaster + paymasterPostOpGasLimit + preVerificationGas - authorization;
}
