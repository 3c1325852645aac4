import {
  formatAmount,
  invalidParameters,
  totalGasLimit,
  usdcDecimals,
  type InsufficientBalanceError,
  type UserOperation,
} from '@yield-vault/protocol';
import { encodeAbiParameters, keccak256, numberToHex, type StateOverride } from 'viem';
import { AllowanceTooLowError, gasTooExpensive, insufficientBalance } from './errors.js';
import { movesUsdc, sharesOf } from './request.js';
import type { CheckedRequest, PaymasterTerms, WalletSnapshot } from './types.js';

// Less than any measured sum of limits. The estimate finds the real need.
const smallestGas = 250_000n;
// More than any measured sum, for a refusal without an estimate: what the wallet then holds must be enough.
const unestimatedGas = 1_000_000n;
// The paymaster's price may be refreshed until inclusion. Without this margin, a rise would exceed what the wallet granted. The
// 2 % also leave at least 1 base unit, so the refund writes to a non-zero slot.
const priceMarginPercent = 102n;
/** The base fee may rise to 1.125 times itself per block. This is only an upper limit: the operation pays the fee of its block. */
export const feeMarginPercent = 125n;
// After two minutes of full blocks: 1.125^10 = 3.25 on Ethereum, 1.02^60 = 3.28 on Base. The tip does not follow the base fee.
const highestBaseFeePercent = 330n;
// In these minutes ether can get more expensive, and a vault can write new storage. Alto's estimate varies, too: by 16 %
// where it finds storage warm behind other operations.
const driftPercent = 125n;
const addMissing = 'Add details.missing of details.token to the wallet. Then send the request again.';
const addMissingAndReserve =
  'Add details.missing of details.token to the wallet, and details.exitReserve of USDC to pay for leaving. Then send the request again.';
const oneUsdc = 10n ** BigInt(usdcDecimals);
// Rounding takes too much of a smaller deposit. Base units of USDC.
const smallestDeposit = 10_000n;
// Above every bundler's estimate.
const ampleGasBudgets = 10n;
const assumedUsdc = 1_000_000n * oneUsdc;
// Storage slot of the balances of FiatToken 2.2.
const fiatTokenBalanceSlot = 9;

/** Apply a percentage to an amount, rounded up. */
export const applyMargin = (amount: bigint, percent: bigint): bigint => (amount * percent + 99n) / 100n;

/**
 * Compute the most that the gas of an operation may cost, in base units of USDC: the prefund at the present price of ether,
 * and a margin until inclusion. The paymaster's final charge is at most this prefund.
 */
export function gasBudget(terms: PaymasterTerms, operation: UserOperation): bigint {
  const charge = terms.charge({
    gas: totalGasLimit(operation),
    feePerGas: operation.maxFeePerGas,
    postOpGasLimit: operation.paymasterPostOpGasLimit ?? 0n,
  });
  return applyMargin(charge, priceMarginPercent);
}

/**
 * The gas budget that a refusal names: the most that the same operation may cost in the next two minutes, in base units
 * of USDC.
 */
export function gasReserve(
  budget: bigint,
  { gasPrice, paymaster }: Pick<WalletSnapshot, 'gasPrice' | 'paymaster'>,
): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas: tip } = gasPrice;
  const { smallestPostOpGas, laterPostOpGas } = paymaster;
  const gas = laterPostOpGas - smallestPostOpGas;
  const feePerGas = applyMargin(maxFeePerGas, feeMarginPercent);
  const refresh = gas > 0n ? paymaster.charge({ gas, feePerGas, postOpGasLimit: laterPostOpGas }) : 0n;
  const baseFee = maxFeePerGas > tip ? maxFeePerGas - tip : 0n;
  const highestFee = maxFeePerGas - baseFee + applyMargin(baseFee, highestBaseFeePercent);
  const present = maxFeePerGas > 0n ? maxFeePerGas : 1n;
  return applyMargin(((budget + refresh) * highestFee) / present, driftPercent);
}

/** The cost of the smallest operation, or of one with this much gas, in base units of USDC. */
function smallestGasBudget(
  { paymaster, gasPrice }: Pick<WalletSnapshot, 'paymaster' | 'gasPrice'>,
  gas = smallestGas,
): bigint {
  return paymaster.charge({
    gas,
    feePerGas: gasPrice.maxFeePerGas,
    postOpGasLimit: paymaster.smallestPostOpGas,
  });
}

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
 * Override the balance of USDC for an estimate, where the wallet's own may not pay for gas.
 *
 * @returns `undefined` for a wallet with enough
 */
export function usdcOverride(request: CheckedRequest, snapshot: WalletSnapshot): StateOverride | undefined {
  const { usdcBalance } = snapshot;
  if (usdcBalance - spentUsdc(request) >= ampleGasBudgets * smallestGasBudget(snapshot)) return undefined;
  const mapping = [{ type: 'address' }, { type: 'uint256' }] as const;
  const { usdc, fork } = request.chain;
  const balanceSlot = BigInt(fork.usdcBalanceSlot ?? fiatTokenBalanceSlot);
  const slot = keccak256(encodeAbiParameters(mapping, [request.wallet, balanceSlot]));
  const value = numberToHex(usdcBalance + assumedUsdc, { size: 32 });
  return [{ address: usdc, stateDiff: [{ slot, value }] }];
}

/**
 * Check that the wallet has the shares that a request redeems.
 *
 * @param gas - base units of USDC that the error names
 * @throws {InvalidParametersError} when the percentage rounds to no share
 * @throws {InsufficientBalanceError}
 */
export function requireShares(
  request: CheckedRequest,
  { shareBalance }: Pick<WalletSnapshot, 'shareBalance'>,
  gas: () => bigint,
): void {
  const { name, vaultAddress, shareDecimals } = request.vault;
  const shares = sharesOf(request, shareBalance);
  if (shares > 0n && shares <= shareBalance) return;
  const [has, redeems] = [shareBalance, shares].map((amount) => formatAmount(amount, shareDecimals));
  if (shares === 0n && shareBalance > 0n)
    throw invalidParameters([
      { field: 'percentage', message: `is less than one base unit of the wallet's ${has} shares` },
    ]);
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
    gas: gas(),
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
  exitBudget = budget,
): InsufficientBalanceError {
  const { assetBalance: available, usdcBalance } = snapshot;
  const gas = gasReserve(budget, snapshot);
  const exitReserve = gasReserve(exitBudget, snapshot);
  return insufficientBalance({
    what: asset.symbol,
    token: asset.address,
    decimals: asset.decimals,
    required: assets,
    available,
    gas,
    exitReserve,
    ...(available > 0n && usdcBalance >= gas + exitReserve
      ? { maxAmount: available }
      : { nextAction: `Hold details.gas and details.exitReserve base units of USDC for gas. ${addMissing}` }),
  });
}

/** Whether the wallet has the USDC that a request and its gas budget take. */
export function canPay(request: CheckedRequest, { usdcBalance }: WalletSnapshot, budget: bigint): boolean {
  return spentUsdc(request) + budget <= usdcBalance;
}

/** The USDC that a request spends besides gas, in base units. */
export function spentUsdc(request: CheckedRequest): bigint {
  return request.operation === 'deposit' && movesUsdc(request) ? request.assets : 0n;
}
