import type { ActiveChain, BundlerRejection } from '@yield-vault/chains';
import { decodeRevertReason, quoteReason } from '@yield-vault/contracts';
import {
  aaCodes,
  formatAmount,
  InsufficientBalanceError,
  PreflightSimulationError,
  TransactionSubmissionError,
  UpstreamUnavailableError,
  usdcDecimals,
  VaultAtCapacityError,
  type ServiceError,
} from '@yield-vault/protocol';
import type { Address } from 'viem';
import { depositVaultOf, redeemThenDeposit } from './request.js';
import type { CheckedRequest, Reading } from './types.js';

const paymasterRetryAfterSeconds = 30;

/** The paymaster's allowance is below the cost of the operation. Internal: prepare returns a setup instead. */
export class AllowanceTooLowError extends Error {
  override readonly name = 'AllowanceTooLowError';
}

/** An amount that a wallet lacks; in base units. */
export interface Shortage {
  /** The sentence of the error, or the name of the token for a sentence about its amounts. */
  readonly detail?: string;
  readonly what?: string;
  readonly nextAction?: string;
  readonly token: Address;
  readonly decimals: number;
  readonly required: bigint;
  readonly available: bigint;
  /** Most USDC that gas may cost. */
  readonly gas: bigint;
  /** Whether gas was not estimated; the sentence then says so. */
  readonly isGasAssumed?: boolean;
  /** Most USDC that leaving may cost. The wallet needs it, too, and `maxAmount` leaves it. */
  readonly exitReserve?: bigint | undefined;
  /** The largest amount of the token for which the wallet has enough; none when it has not even the gas. */
  readonly maxAmount?: bigint | undefined;
}

/** Make the error for a wallet that lacks assets, shares or USDC for gas. */
export function insufficientBalance(shortage: Shortage): InsufficientBalanceError {
  const { what, nextAction, token, decimals, required, available, gas, exitReserve, maxAmount } = shortage;
  const [needs, has] = [required, available].map((amount) => formatAmount(amount, decimals));
  const detail = shortage.detail ?? `The wallet needs ${needs} ${what} and has ${has}.`;
  const bound = ' The numbers for gas are upper bounds: nothing was estimated.';
  return new InsufficientBalanceError({
    detail: shortage.isGasAssumed ? detail + bound : detail,
    nextAction,
    details: {
      token,
      decimals,
      available: available.toString(),
      required: required.toString(),
      missing: (required - available).toString(),
      gas: gas.toString(),
      ...(exitReserve !== undefined && { exitReserve: exitReserve.toString() }),
      maxAmount: maxAmount === undefined ? null : formatAmount(maxAmount, decimals),
    },
  });
}

/** Make the error for a paymaster that accepts no operation now, whatever the wallet does. */
export function paymasterUnavailable(
  { key }: Pick<ActiveChain, 'key'>,
  detail: string,
  cause?: unknown,
): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail,
    details: { dependency: `paymaster:${key}` },
    retryAfterSeconds: paymasterRetryAfterSeconds,
    cause,
  });
}

/** Make the error for an operation whose gas costs more than the paymaster may take, whatever the wallet does. */
export function gasTooExpensive({ chain }: CheckedRequest, limit: bigint): UpstreamUnavailableError {
  const most = `Gas on ${chain.key} is too expensive now: the paymaster takes at most ${formatAmount(limit, usdcDecimals)} USDC for one operation.`;
  return new UpstreamUnavailableError({
    detail: limit === 0n ? `The paymaster of ${chain.key} is paused.` : most,
    details: { dependency: `paymaster:${chain.key}` },
    retryAfterSeconds: 60,
  });
}

/** Make the error for a refused estimate, with the EntryPoint code where there is one. */
export function explainRejection(
  rejection: BundlerRejection,
  request: CheckedRequest,
): ServiceError | AllowanceTooLowError {
  const { aaCode, bundlerCode, revertData } = rejection;
  const revertReason = revertData ? decodeRevertReason(revertData) : undefined;
  if (revertReason === 'INSUFFICIENT_ALLOWANCE' && aaCode) return new AllowanceTooLowError();
  if (aaCode === undefined && revertReason !== undefined) return explainRevert(revertReason, request);
  const code = aaCode && aaCodes[aaCode];
  return new TransactionSubmissionError({
    detail: code
      ? `The bundler refuses the operation: ${code.meaning}.`
      : 'The bundler refuses the operation.',
    details: {
      bundlerCode,
      ...(aaCode ? { aaCode } : {}),
      ...(revertReason === undefined ? {} : { revertReason }),
    },
    nextAction: code?.nextAction,
    retryable: code ? !code.curable : true,
    cause: rejection,
  });
}

// Revert reasons of vaults that are full or closed.
const closedToDeposits =
  /ExceededMaxDeposit|EnforcedPause|Paused|Cap(acity)?(s)?(Exceeded|Reached)|SupplyCap/i;

/** Make the error for the revert reason of a vault. */
function explainRevert(revertReason: string, request: CheckedRequest): ServiceError {
  const { operation } = request;
  const depositVault = depositVaultOf(request);
  if (depositVault && closedToDeposits.test(revertReason)) {
    return new VaultAtCapacityError({
      detail: `${depositVault.name} does not take this deposit (${quoteReason(revertReason)}).`,
      details: { vaultId: depositVault.vaultId, revertReason },
      nextAction: operation === 'rebalance' ? redeemThenDeposit : undefined,
    });
  }
  return new PreflightSimulationError({
    detail: `The ${operation} would revert: ${quoteReason(revertReason)}.`,
    details: { revertReason },
  });
}

/**
 * Return the value of a reading that the operation requires.
 *
 * @throws {VaultAtCapacityError | PreflightSimulationError} when the contract reverted
 */
export function valueOf<T>(reading: Reading<T>, request: CheckedRequest): T {
  if ('value' in reading) return reading.value;
  throw explainRevert(reading.revertReason, request);
}
