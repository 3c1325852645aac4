import type { BundlerRejection } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import {
  aaCodes,
  PreflightSimulationError,
  TransactionSubmissionError,
  VaultAtCapacityError,
  type ServiceError,
} from '@yield-vault/protocol';
import { AllowanceTooLowError } from '../errors.js';
import type { Order, Snapshot } from '../types.js';
import { redeemThenDeposit } from './choose-target.js';
import { enteredVault } from './entered-vault.js';
import { smallestGasBudget, usdcDecimals } from './gas-budget.js';
import { insufficientBalance } from './insufficient-balance.js';
import { spentUsdc } from './spent-usdc.js';

// How vaults say that they take no more, or nothing now.
const closedToDeposits =
  /ExceededMaxDeposit|EnforcedPause|Paused|Cap(acity)?(s)?(Exceeded|Reached)|SupplyCap/i;

/** Translate a refused estimate into the error that tells the caller what to do. */
export function explainRejection(
  rejection: BundlerRejection,
  order: Order,
  snapshot: Snapshot,
): ServiceError | AllowanceTooLowError {
  const revertReason = rejection.revertData ? decodeRevertReason(rejection.revertData) : undefined;
  if (revertReason === 'INSUFFICIENT_ALLOWANCE' && rejection.aaCode) return new AllowanceTooLowError();
  // Of the paymaster, or of the wallet: it passed the check of balances, so that what it lacks is the gas on top. In a
  // redeem it is the vault that has not enough.
  const isWallets = rejection.aaCode !== undefined || spentUsdc(order) > 0n;
  if (revertReason === 'INSUFFICIENT_BALANCE' && isWallets) return shortOfUsdc(order, snapshot);
  if (rejection.aaCode === undefined && revertReason !== undefined) return explainRevert(revertReason, order);

  const code = rejection.aaCode && aaCodes[rejection.aaCode];
  return new TransactionSubmissionError({
    detail: code
      ? `The bundler refuses the operation: ${code.meaning}.`
      : 'The bundler refuses the operation.',
    details: {
      bundlerCode: rejection.bundlerCode,
      ...(rejection.aaCode ? { aaCode: rejection.aaCode } : {}),
      ...(revertReason ? { revertReason } : {}),
    },
    nextAction: code?.nextAction,
    retryable: code ? !code.curable : true,
    cause: rejection,
  });
}

/** Translate the revert reason of a vault into the error of the interface. */
export function explainRevert(revertReason: string, order: Order): ServiceError {
  const { instruction } = order;
  const entered = enteredVault(order);
  if (entered && closedToDeposits.test(revertReason)) {
    return new VaultAtCapacityError({
      detail: `${entered.name} does not take this deposit (${revertReason}).`,
      details: { vaultId: entered.vaultId, revertReason },
      nextAction: instruction.operation === 'rebalance' ? redeemThenDeposit : undefined,
    });
  }
  return new PreflightSimulationError({
    detail: `The ${instruction.operation} would revert: ${revertReason}.`,
    details: { revertReason },
  });
}

function shortOfUsdc(order: Order, snapshot: Snapshot): ServiceError {
  const { chain } = order;
  const atLeast = smallestGasBudget(snapshot) + spentUsdc(order);
  const available = snapshot.usdcBalance;
  const required = atLeast > available ? atLeast : available + 1n;
  return insufficientBalance({
    what: 'USDC for gas',
    token: chain.usdc,
    decimals: usdcDecimals,
    required,
    available,
  });
}
