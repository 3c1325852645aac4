import type { BundlerRejection, UserOperationGas } from '@yield-vault/chains';
import {
  eip7702Marker,
  isNamed,
  minimumOut,
  type Apy,
  type UserOperation,
  type Vault,
} from '@yield-vault/protocol';
import {
  encodeAccountCall,
  stubIntentSignature,
  type DepositHook,
  type ExecutorHook,
} from '@yield-vault/smart-account';
import { applyMargin, usdcOverride, feeMarginPercent } from './gas/budget.js';
import { explainRejection, paymasterUnavailable, valueOf } from './errors.js';
import { withMargins, withPayment } from './gas/limits.js';
import { depositVaultOf, isRanked, movesUsdc, redeemsAll, sharesOf } from './request.js';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest, WalletSnapshot } from './types.js';
import type { Paymaster, PaymasterStub } from './paymasters/types.js';

const yearSeconds = 31_536_000;
// Of a plain vault. Its growth until the intent expires is far below the slippage.
const noApy: Apy = { now: 0, week: 0, month: 0 };
// The quotes describe the newest block, which can be this old.
const quoteAgeSeconds = 60;
const growthPrecision = 10n ** 18n;
// Bundlers refuse the last half minute, and the wallet needs time to sign. Less than the last tenth of a price's life, in
// which operations refresh it.
const shortestValiditySeconds = 90;

/** Quotes of the vaults for a request, in base units. */
export interface Quotes {
  /** Assets that the redeemed shares pay; 0 for a deposit. */
  readonly redeemed: bigint;
  /** Shares that the deposit brings; 0 for a redeem. */
  readonly deposited: bigint;
}

/** The executor hooks of a request, and their result. Amounts are base units. */
export interface QuotedHooks {
  readonly hooks: readonly ExecutorHook[];
  readonly quotedOut: bigint;
  readonly minOut: bigint;
}

/** When an intent is valid, in Unix seconds. */
export interface IntentWindow {
  readonly expiry: number;
  readonly validAfter: number;
}

/**
 * An operation with the gas limits of its estimate. At first it has the paymaster's stub; `attachPaymasterData` sets the
 * final data. The wallet has not signed it.
 */
export interface EstimatedOperation {
  readonly operation: UserOperation;
  readonly quoted: QuotedHooks;
  /** The paymaster fields of the estimate. */
  readonly stub: PaymasterStub;
  /** The bundler's estimate, without our margins. */
  readonly bareGas: UserOperationGas;
  readonly window: IntentWindow;
}

/**
 * Take the quotes of the vaults. The quotes of a rebalance belong together: the target quotes a deposit of what the
 * source pays.
 *
 * @throws {VaultAtCapacityError | PreflightSimulationError} when a vault reverts
 */
export function takeQuotes(
  request: CheckedRequest,
  { redeemed, depositVault }: Pick<WalletSnapshot, 'redeemed' | 'depositVault'>,
): Quotes {
  // Report a source that reverts as a failed redeem, not as a deposit vault at its limit.
  const redeem: CheckedRequest = { ...request, operation: 'redeem', amount: { percentage: 100 } };
  return {
    redeemed: redeemed ? valueOf(redeemed, redeem) : 0n,
    deposited: depositVault ? valueOf(depositVault.deposited, request) : 0n,
  };
}

/**
 * Let the bundler estimate the operation. The estimate runs it with its final hooks, so it also shows whether the vault
 * accepts it.
 *
 * @param nowMs - milliseconds since 1970
 * @throws {VaultAtCapacityError | PreflightSimulationError | TransactionSubmissionError}
 * @throws {UpstreamUnavailableError} when bundler or paymaster do not respond, or the paymaster's price has expired
 */
export async function estimateOperation(
  request: CheckedRequest,
  snapshot: WalletSnapshot,
  quotes: Quotes,
  paymaster: Paymaster,
  options: IntentBuilderOptions,
  nowMs: number,
): Promise<EstimatedOperation> {
  const { wallet } = request;
  const { authorization } = snapshot;
  const window = intentWindow(request, snapshot.paymaster.validUntil, options, nowMs);
  const quoted = buildHooks(request, snapshot, quotes, window.expiry - Math.floor(nowMs / 1000), options);
  const draft: UserOperation = {
    sender: wallet,
    nonce: snapshot.nonce,
    ...(authorization && { factory: eip7702Marker, authorization }),
    callData: encodeAccountCall(quoted.hooks),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: applyMargin(snapshot.gasPrice.maxFeePerGas, feeMarginPercent),
    maxPriorityFeePerGas: snapshot.gasPrice.maxPriorityFeePerGas,
    paymasterVerificationGasLimit: 0n,
    // Circle's paymaster rejects a lower limit, even in the estimate.
    paymasterPostOpGasLimit: snapshot.paymaster.smallestPostOpGas,
    signature: stubIntentSignature(window.expiry, window.validAfter),
  };
  const stub = await paymaster.stub(draft);
  const estimate = await snapshot.bundler
    .estimate({ ...draft, ...stub.fields }, usdcOverride(request, snapshot))
    .catch((error: unknown) => {
      throw isNamed<BundlerRejection>(error, 'BundlerRejection') ? explainRejection(error, request) : error;
    });
  const bareGas = stub.isWithoutPayment ? withPayment(estimate, movesUsdc(request)) : estimate;
  const gas = withMargins(draft, bareGas, snapshot.paymaster, stub);
  return { operation: { ...draft, ...gas, ...stub.fields, signature: '0x' }, quoted, stub, bareGas, window };
}

/**
 * Compute when an intent is valid. It never outlives the time for which its paymaster accepts it.
 *
 * @param validUntil - of the paymaster, in Unix seconds
 * @param nowMs - milliseconds since 1970
 * @throws {UpstreamUnavailableError} when the paymaster leaves no time to sign
 */
export function intentWindow(
  { chain }: Pick<CheckedRequest, 'chain'>,
  validUntil: number,
  { expirySeconds, validAfterSeconds }: Pick<IntentBuilderOptions, 'expirySeconds' | 'validAfterSeconds'>,
  nowMs: number,
): IntentWindow {
  const now = Math.floor(nowMs / 1000);
  if (validUntil < now + shortestValiditySeconds)
    throw paymasterUnavailable(chain, `The price of the paymaster on ${chain.key} has expired.`);
  return {
    expiry: Math.min(now + expirySeconds, validUntil),
    validAfter: validAfterSeconds === 0 ? 0 : now + validAfterSeconds,
  };
}

/**
 * Build the executor hooks of a request with the minimums that its signature protects. A deposit brings fewer shares
 * the later it runs, because the vault earns. A redeem may run at once, so its minimum assumes no growth.
 *
 * @param seconds - until the intent expires
 */
export function buildHooks(
  request: CheckedRequest,
  snapshot: Pick<WalletSnapshot, 'shareBalance' | 'paymasterAllowance'>,
  quotes: Quotes,
  seconds: number,
  {
    maxSlippageBps,
    paymasterAllowanceUsdc,
  }: Pick<IntentBuilderOptions, 'maxSlippageBps' | 'paymasterAllowanceUsdc'>,
): QuotedHooks {
  const depositVault = depositVaultOf(request);
  const minAssets = minimumOut(quotes.redeemed, maxSlippageBps);
  const minShares = depositVault
    ? minimumOut(
        sharesAtExpiry(quotes.deposited, isRanked(depositVault) ? depositVault.apy : noApy, seconds),
        maxSlippageBps,
      )
    : 0n;
  const hooks = [
    ...vaultHooks(request, snapshot.shareBalance, minAssets, minShares),
    ...allowanceHooks(request.chain, snapshot.paymasterAllowance, paymasterAllowanceUsdc),
  ];
  return depositVault
    ? { hooks, quotedOut: quotes.deposited, minOut: minShares }
    : { hooks, quotedOut: quotes.redeemed, minOut: minAssets };
}

/**
 * Compute the shares that a deposit brings when the intent expires. Until then the vault earns, so a share costs more.
 *
 * @param quoted - shares that the deposit brings now, in base units
 * @param apy - of the vault, in percent; the highest counts
 * @param seconds - until the intent expires
 */
export function sharesAtExpiry(quoted: bigint, apy: Apy, seconds: number): bigint {
  const fastest = Math.max(apy.now, apy.week, apy.month, 0) / 100;
  const growth = Math.expm1((Math.log1p(fastest) * (seconds + quoteAgeSeconds)) / yearSeconds);
  return (quoted * growthPrecision) / (growthPrecision + BigInt(Math.ceil(growth * Number(growthPrecision))));
}

function vaultHooks(
  request: CheckedRequest,
  shareBalance: bigint,
  minAssets: bigint,
  minShares: bigint,
): ExecutorHook[] {
  const { vault } = request;
  const keepsOne = movesUsdc(request);
  const depositInto = ({ vaultAddress, asset }: Vault, amount: DepositHook['amount']): DepositHook => ({
    hook: 'deposit',
    vault: vaultAddress,
    token: asset.address,
    amount,
    minShares,
    ...(keepsOne && { keepOne: true }),
  });
  if (request.operation === 'deposit') return [depositInto(vault, request.assets)];
  const redeem = {
    hook: 'redeem',
    vault: vault.vaultAddress,
    token: vault.asset.address,
    shares: redeemsAll(request) ? 'all' : sharesOf(request, shareBalance),
    minAssets,
  } as const;
  return request.operation === 'redeem' ? [redeem] : [redeem, depositInto(request.target, 'previous')];
}

// Every operation spends part of the allowance. A hook restores it, because a new setup would cost the wallet ether.
function allowanceHooks(
  { contracts, usdc }: CheckedRequest['chain'],
  left: bigint,
  allowance: bigint,
): ExecutorHook[] {
  if (left >= allowance / 2n) return [];
  return [{ hook: 'approve', spender: contracts.paymaster, token: usdc, amount: allowance }];
}
