import type { UserOperationGas } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { maxBigInt, minBigInt, type UserOperation } from '@yield-vault/protocol';
import { encodeFunctionData, hexToBytes } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { applyMargin } from './budget.js';
import type { PaymasterStub, PaymasterTerms } from '../paymasters/types.js';

// Gas can rise after the estimate: the vault accrues interest, and storage that was read cheaply becomes expensive.
const scalePercent = { call: 130n, paymaster: 115n, l1: 115n } as const;
// EntryPoint v0.8 takes a tenth of the unused call gas from 40k on, and Alto estimates up to 7.4k too much: 32k stay below.
const largestCallMargin = 32_000n;
// A first operation takes 44.1k. Behind another pending operation of the paymaster, Alto estimates on warm storage, so too
// low.
const smallestAccountGas = 50_000n;
// What the account's payment adds to validation, and what it saves a call that moves USDC. Measured.
const paymentGas = { validation: 20_000n, saved: 14_000n } as const;

/** Complete an estimate that lacks the account's payment, because a stub signature grants none. */
export function withPayment(gas: UserOperationGas, movesUsdc: boolean): UserOperationGas {
  const saved = movesUsdc ? minBigInt(paymentGas.saved, gas.callGasLimit) : 0n;
  return {
    ...gas,
    callGasLimit: gas.callGasLimit - saved,
    paymasterVerificationGasLimit: gas.paymasterVerificationGasLimit + paymentGas.validation,
  };
}

/**
 * Raise an estimate to limits that still hold when the operation runs. All of `preVerificationGas` is charged. Only the L1
 * part has a margin: what exceeds a bundle of one.
 *
 * @param draft - has a signature of the final size
 */
export function withMargins(
  draft: UserOperation,
  gas: UserOperationGas,
  { smallestPostOpGas }: PaymasterTerms,
  { fields, smallestVerificationGas = 0n }: PaymasterStub,
): UserOperationGas {
  const { call, paymaster, l1 } = scalePercent;
  const validation = applyMargin(gas.paymasterVerificationGasLimit, paymaster);
  const postOp = applyMargin(gas.paymasterPostOpGasLimit, paymaster);
  const limits = {
    callGasLimit: minBigInt(applyMargin(gas.callGasLimit, call), gas.callGasLimit + largestCallMargin),
    verificationGasLimit: maxBigInt(gas.verificationGasLimit, smallestAccountGas),
    preVerificationGas: gas.preVerificationGas,
    paymasterVerificationGasLimit: maxBigInt(validation, smallestVerificationGas),
    paymasterPostOpGasLimit: maxBigInt(postOp, smallestPostOpGas),
  };
  const least = loneBundleGas({ ...draft, ...limits, ...fields });
  const excess = maxBigInt(gas.preVerificationGas - least, 0n);
  return { ...limits, preVerificationGas: least + applyMargin(excess, l1) };
}

// Base cost of a transaction; EIP-2028; PER_EMPTY_ACCOUNT_COST of EIP-7702.
const transactionGas = 21_000n;
const [zeroByteGas, otherByteGas] = [4, 16];
const authorizationGas = 25_000n;
// Of the entry point around a lone operation, and its payment to the bundler: 17.6k for 300 bytes, 17.9k for 1,400. Measured.
const frameGas = 17_900n;

/**
 * Compute the gas of a bundle of one operation that the entry point does not measure, so `preVerificationGas` must pay for
 * it. The L1 data of a rollup is extra.
 *
 * @param operation - with a signature of the final size
 */
export function loneBundleGas(operation: UserOperation): bigint {
  const bundle = encodeFunctionData({
    abi: entryPointV08Abi,
    functionName: 'handleOps',
    // The sender stands in for the beneficiary: both have 20 bytes.
    args: [[toPackedUserOperation(operation)], operation.sender],
  });
  const calldataGas = hexToBytes(bundle).reduce(
    (gas, byte) => gas + (byte === 0 ? zeroByteGas : otherByteGas),
    0,
  );
  const authorization = operation.authorization ? authorizationGas : 0n;
  return transactionGas + BigInt(calldataGas) + frameGas + authorization;
}
