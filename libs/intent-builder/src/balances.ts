import {
  formatAmount,
  invalidParameters,
  usdcDecimals,
  type InsufficientBalanceError,
} from '@yield-vault/protocol';
import { AllowanceTooLowError, gasTooExpensive, insufficientBalance } from './errors.js';
import { gasReserve, smallestGasBudget } from './gas/budget.js';
import { sharesOf, spentUsdc } from './request.js';
import type { CheckedRequest, WalletSnapshot } from './types.js';

// More than any measured sum, for a refusal without an estimate: what the wallet then holds must be enough.
const unestimatedGas = 1_000_000n;
const addMissing = 'Add details.missing of details.token to the wallet. Then send the request again.';
const addMissingAndReserve =
  'Add details.missing of details.token to the wallet, and details.exitReserve of USDC to pay for leaving. Then send the request again.';
const oneUsdc = 10n ** BigInt(usdcDecimals);
// Rounding takes too much of a smaller deposit. Base units of USDC.
const smallestDeposit = 10_000n;

/**
 * Check the balances without which the estimate would revert.
 *
 * @throws {InvalidParametersError} when the percentage rounds to no share
 * @throws {InsufficientBalanceError} without any of the asset, or without the shares
 * @throws {UpstreamUnavailableError | AllowanceTooLowError} as `requireGasBudget` does, for the smallest cost
 */
export function requireBalances(request: CheckedRequest, snapshot: WalletSnapshot): void {
  if (request.operation !== 'deposit')
    requireShares(request, snapshot, () => gasReserve(smallestGasBudget(snapshot, unestimatedGas), snapshot));
  else {
    const isEmpty = snapshot.assetBalance === 0n;
    // A balance of USDC can be assumed.
    const isAssumable = spentUsdc(request) > 0n;
    if (isEmpty && !isAssumable)
      throw shortOfAsset(request, snapshot, smallestGasBudget(snapshot, unestimatedGas));
  }
  requirePaymaster(request, snapshot, smallestGasBudget(snapshot));
}

/**
 * The request to estimate: a deposit above the balance shows its gas by the amount that is there.
 *
 * @returns the request itself when the wallet has its asset
 */
export function toEstimableRequest(
  request: CheckedRequest,
  { assetBalance }: Pick<WalletSnapshot, 'assetBalance'>,
): CheckedRequest {
  if (request.operation !== 'deposit' || request.assets <= assetBalance) return request;
  const least = spentUsdc(request) > 0n ? oneUsdc : 0n;
  const estimable = assetBalance > least ? assetBalance : least;
  return { ...request, assets: estimable < request.assets ? estimable : request.assets };
}

/**
 * Check that the wallet has the shares that a request redeems.
 *
 * @param assumedGas - base units of USDC that the error names; 0 where the wallet pays in ether
 * @throws {InvalidParametersError} when the percentage rounds to no share
 * @throws {InsufficientBalanceError}
 */
export function requireShares(
  request: CheckedRequest,
  { shareBalance }: Pick<WalletSnapshot, 'shareBalance'>,
  assumedGas: () => bigint,
): void {
  const { name, vaultAddress, shareDecimals } = request.vault;
  const shares = sharesOf(request, shareBalance);
  if (shares > 0n && shares <= shareBalance) return;
  const [has, redeems] = [shareBalance, shares].map((amount) => formatAmount(amount, shareDecimals));
  if (shares === 0n && shareBalance > 0n)
    throw invalidParameters([
      { field: 'percentage', message: `is less than one base unit of the wallet's ${has} shares` },
    ]);
  const gas = assumedGas();
  throw insufficientBalance({
    ...(shareBalance === 0n
      ? {
          detail: `The wallet holds no shares of ${name}.`,
          nextAction: 'Use the vaultId of a position in GET /v1/yield/status.',
        }
      : {
          detail: `The wallet holds ${has} shares of ${name}; the request redeems ${redeems}.`,
          nextAction: 'Redeem at most details.available base units of shares.',
        }),
    token: vaultAddress,
    decimals: shareDecimals,
    required: shares > 0n ? shares : 1n,
    available: shareBalance,
    gas,
    isGasAssumed: gas > 0n,
  });
}

/**
 * Check that the wallet can pay for gas on top of its deposit: the paymaster takes the whole budget in advance. The
 * numbers of the error keep a reserve, so that they still hold for the next call.
 *
 * @param budget - base units of USDC
 * @param exitBudget - the most that a later full redeem may cost; `maxAmount` leaves it, too
 * @throws {UpstreamUnavailableError} when the paymaster's limit for one operation is lower
 * @throws {AllowanceTooLowError} when the paymaster's allowance is lower
 * @throws {InsufficientBalanceError} when the wallet has too little of the asset or of USDC
 */
export function requireGasBudget(
  request: CheckedRequest,
  snapshot: WalletSnapshot,
  budget: bigint,
  exitBudget: bigint,
): void {
  requirePaymaster(request, snapshot, budget);
  const spent = spentUsdc(request);
  const available = snapshot.usdcBalance;
  if (request.operation === 'deposit' && spent === 0n && request.assets > snapshot.assetBalance)
    throw shortOfAsset(request, snapshot, budget, exitBudget);
  if (canPay(request, snapshot, budget)) return;
  const gas = gasReserve(budget, snapshot);
  const exitReserve = request.operation === 'redeem' ? undefined : gasReserve(exitBudget, snapshot);
  const left = available - gas - (exitReserve ?? 0n);
  throw insufficientBalance({
    what: spent > 0n ? 'USDC (deposit and gas)' : 'USDC for gas',
    token: request.chain.usdc,
    decimals: usdcDecimals,
    required: spent + gas,
    available,
    gas,
    exitReserve,
    ...(spent > 0n && left >= smallestDeposit
      ? { maxAmount: left }
      : { nextAction: exitReserve ? addMissingAndReserve : addMissing }),
  });
}

function requirePaymaster(request: CheckedRequest, snapshot: WalletSnapshot, budget: bigint): void {
  const { operationCeiling } = snapshot.paymaster;
  if (budget > operationCeiling) throw gasTooExpensive(request, operationCeiling);
  if (request.chain.paymaster.kind !== 'own' && snapshot.paymasterAllowance < budget)
    throw new AllowanceTooLowError();
}

function shortOfAsset(
  { vault: { asset }, assets }: Extract<CheckedRequest, { operation: 'deposit' }>,
  snapshot: WalletSnapshot,
  budget: bigint,
  exitBudget?: bigint,
): InsufficientBalanceError {
  const { assetBalance: available, usdcBalance } = snapshot;
  const gas = gasReserve(budget, snapshot);
  const exitReserve = gasReserve(exitBudget ?? budget, snapshot);
  return insufficientBalance({
    what: asset.symbol,
    token: asset.address,
    decimals: asset.decimals,
    required: assets,
    available,
    gas,
    exitReserve,
    isGasAssumed: exitBudget === undefined,
    ...(available > 0n && usdcBalance >= gas + exitReserve
      ? { maxAmount: available }
      : { nextAction: `Hold details.gas and details.exitReserve base units of USDC for gas. ${addMissing}` }),
  });
}

/** Whether the wallet has the USDC that a request and its gas budget take. */
export function canPay(request: CheckedRequest, { usdcBalance }: WalletSnapshot, budget: bigint): boolean {
  return spentUsdc(request) + budget <= usdcBalance;
}
