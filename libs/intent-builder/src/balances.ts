import {
  formatAmount,
  percentageToFraction,
  totalGasLimit,
  UpstreamUnavailableError,
  type UserOperation,
} from '@yield-vault/protocol';
import { isAddressEqual } from 'viem';
import { AllowanceTooLowError, insufficientBalance } from './errors.js';
import { sharesOf } from './request.js';
import type { CheckedRequest, PaymasterTerms, WalletSnapshot } from './types.js';

/** Decimals of USDC, on every chain. */
export const usdcDecimals = 6;

// Less than any measured sum of limits. The estimate finds the real need.
const smallestGas = 300_000n;
// Ether may rise until inclusion. Without this margin, a deposit of the whole balance would revert and still cost gas.
const priceMarginPercent = 102n;

/** Apply a percentage to an amount, rounded up. */
export const applyMargin = (amount: bigint, percent: bigint): bigint => (amount * percent + 99n) / 100n;

/**
 * The maximum cost of an operation, which the paymaster takes before the operation runs, in base units of USDC: the
 * charge at the present price of ether, and a margin until inclusion.
 */
export function gasBudget(terms: PaymasterTerms, operation: UserOperation): bigint {
  const charge = terms.charge({
    gas: totalGasLimit(operation),
    feePerGas: operation.maxFeePerGas,
    postOpGasLimit: operation.paymasterPostOpGasLimit ?? 0n,
  });
  return applyMargin(charge, priceMarginPercent);
}

/** The smallest cost of any operation, in base units of USDC. */
export function smallestGasBudget({
  paymaster,
  gasPrice,
}: Pick<WalletSnapshot, 'paymaster' | 'gasPrice'>): bigint {
  return paymaster.charge({
    gas: smallestGas,
    feePerGas: gasPrice.maxFeePerGas,
    postOpGasLimit: paymaster.smallestPostOpGas,
  });
}

/**
 * Check the wallet's balances before the estimate, which could only revert without them.
 *
 * @throws {InsufficientBalanceError} for the asset, the shares or the USDC for gas
 * @throws {AllowanceTooLowError} when the paymaster's allowance is below the smallest cost
 */
export function requireBalances(request: CheckedRequest, snapshot: WalletSnapshot): void {
  if (request.operation === 'deposit') requireAssets(request.vault.asset, snapshot, request.assets);
  else requireShares(request, snapshot);
  requireGasBudget(request, snapshot, smallestGasBudget(snapshot));
}

function requireAssets(
  { symbol, address, decimals }: CheckedRequest['vault']['asset'],
  { assetBalance: available }: WalletSnapshot,
  required: bigint,
): void {
  if (required > available)
    throw insufficientBalance({ what: symbol, token: address, decimals, required, available });
}

function requireShares(request: CheckedRequest, { shareBalance }: WalletSnapshot): void {
  const { name, vaultAddress, shareDecimals } = request.vault;
  const shares = sharesOf(request, shareBalance);
  if (shares > 0n && shares <= shareBalance) return;
  throw insufficientBalance({
    what: `shares of ${name}`,
    token: vaultAddress,
    decimals: shareDecimals,
    required: shares > 0n ? shares : smallestBalance(request, shareBalance),
    available: shareBalance,
  });
}

// A percentage of a tiny balance rounds to nothing. This is the smallest balance of which it is one base unit.
function smallestBalance(request: CheckedRequest, shareBalance: bigint): bigint {
  if (request.operation !== 'redeem' || 'shares' in request.amount) return 1n;
  const { numerator, denominator } = percentageToFraction(request.amount.percentage);
  // The percentage itself rounds to zero.
  if (numerator === 0n) return shareBalance + 1n;
  return (denominator + numerator - 1n) / numerator;
}

/**
 * Check that the wallet can pay for gas on top of its deposit: the paymaster takes the whole budget in advance.
 *
 * @param budget - base units of USDC
 * @throws {UpstreamUnavailableError} when the paymaster's limit for one operation is lower
 * @throws {AllowanceTooLowError} when the paymaster's allowance is lower
 * @throws {InsufficientBalanceError} when the USDC balance is lower
 */
export function requireGasBudget(request: CheckedRequest, snapshot: WalletSnapshot, budget: bigint): void {
  const { operationCeiling } = snapshot.paymaster;
  if (budget > operationCeiling) throw gasTooExpensive(request, operationCeiling);
  if (snapshot.state.paymasterAllowance < budget) throw new AllowanceTooLowError();

  const spent = spentUsdc(request);
  const required = budget + spent;
  const available = snapshot.usdcBalance;
  if (required <= available) return;
  const what = spent > 0n ? 'USDC (deposit and gas)' : 'USDC for gas';
  throw insufficientBalance({ what, token: request.chain.usdc, decimals: usdcDecimals, required, available });
}

/** Make the error for an operation whose gas costs more than the paymaster may take, whatever the wallet does. */
export function gasTooExpensive({ chain }: CheckedRequest, limit: bigint): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `Gas on ${chain.key} is too expensive now: the paymaster takes at most ${formatAmount(limit, usdcDecimals)} USDC for one operation.`,
    details: { dependency: `paymaster:${chain.key}` },
    retryAfterSeconds: 60,
  });
}

/** The USDC that a request spends besides gas, in base units. */
export function spentUsdc(request: CheckedRequest): bigint {
  if (request.operation !== 'deposit') return 0n;
  return isAddressEqual(request.vault.asset.address, request.chain.usdc) ? request.assets : 0n;
}
