import type { UserOperationGas } from '@yield-vault/chains';
import {
  formatAmount,
  minBigInt,
  totalGasLimit,
  type ExecutionCosts,
  type SetupCosts,
} from '@yield-vault/protocol';
import { breakEvenDays, type Earning } from '@yield-vault/vault-metrics';
import { gasBudget } from '../gas/budget.js';
import type { EstimatedOperation } from '../operation.js';
import { depositVaultOf, isRanked, redeemsAll, sharesOf } from '../request.js';
import type { CheckedRequest, WalletReading, WalletSnapshot } from '../types.js';
import { createPricer, gasOf, toUsd } from './estimate-costs.js';

/** Charges for gas, in base units of USDC. */
export interface GasFigures {
  readonly most: bigint;
  readonly expected: bigint;
  /** Expected charge of a later full redeem at the present fees; 0 when nothing is left to redeem. */
  readonly exit: bigint;
  /** The most that a later redeem may cost; the paymaster takes it in advance. */
  readonly mostExit: bigint;
  /** Expected charge of leaving the source of a rebalance; 0 for a deposit. */
  readonly exitBefore: bigint;
}

// Most that a later redeem takes, measured. A first operation writes new storage and may permit.
const laterGas = { verification: 41_000n, paymaster: 60_000n } as const;
// PER_EMPTY_ACCOUNT_COST of EIP-7702.
const authorizationGas = 25_000n;

/** Compute what an estimated operation, and leaving afterwards, will be charged. */
export function gasFigures(
  request: CheckedRequest,
  {
    paymaster,
    gasPrice,
    fees,
    shareBalance,
  }: Pick<WalletSnapshot, 'paymaster' | 'gasPrice' | 'fees' | 'shareBalance'>,
  { operation, bareGas }: Pick<EstimatedOperation, 'operation' | 'bareGas'>,
): GasFigures {
  const most = gasBudget(paymaster, operation);
  const charge = (gas: bigint) =>
    minBigInt(paymaster.charge({ gas, feePerGas: gasPrice.maxFeePerGas, postOpGasLimit: 0n }), most);
  const expected = charge(totalGasLimit({ ...operation, ...bareGas }));
  const exitGas = exitGasOf(request, bareGas, operation.authorization !== undefined);
  const isExit = request.operation === 'redeem' && sharesOf(request, shareBalance) === shareBalance;
  const mostExit = expected > 0n ? (charge(exitGas) * most) / expected : 0n;
  return { most, expected, mostExit, ...exitsOf(request, createPricer(paymaster, fees), isExit) };
}

/** @param isExit - whether the request leaves nothing to redeem */
function exitsOf(request: CheckedRequest, { priceOf }: ReturnType<typeof createPricer>, isExit: boolean) {
  const { operation, vault } = request;
  return {
    exit: isExit ? 0n : priceOf('redeem', depositVaultOf(request) ?? vault),
    exitBefore: operation === 'rebalance' ? priceOf('redeem', vault) : 0n,
  };
}

/**
 * Compute the costs of an operation. One USDC counts as one USD.
 *
 * @param earning - none for a redeem
 */
export function costsOf(
  {
    setup = 0n,
    expected,
    exit,
    exitBefore,
  }: Pick<GasFigures, 'expected' | 'exit' | 'exitBefore'> & { readonly setup?: bigint },
  earning?: Earning,
): ExecutionCosts {
  const costUsd = toUsd(setup + expected + exit - exitBefore);
  return {
    gasUsd: toUsd(expected),
    exitGasUsd: toUsd(exit),
    breakEvenDays: breakEvenDays(costUsd, earning),
  };
}

/**
 * Estimate the costs of a wallet that needs a setup, before it signs anything.
 *
 * @returns `null` while the paymaster does not respond
 */
export function setupCostsOf(
  request: CheckedRequest,
  { terms, fees, redeemed }: Pick<WalletReading, 'terms' | 'fees' | 'redeemed'>,
): SetupCosts | null {
  if (!terms) return null;
  const pricer = createPricer(terms, fees);
  const { setup, priceOf } = pricer;
  const { operation, vault } = request;
  const isExit = operation === 'redeem' && redeemsAll(request);
  const gas = {
    setup,
    expected: priceOf(operation, operation === 'deposit' ? undefined : vault, depositVaultOf(request)),
    ...exitsOf(request, pricer, isExit),
  };
  return { setupGasUsd: toUsd(setup), ...costsOf(gas, earningOf(request, { redeemed })) };
}

/** What a request earns; nothing for a redeem, and for a vault without measured numbers. */
export function earningOf(
  request: CheckedRequest,
  { redeemed }: Pick<WalletSnapshot, 'redeemed'>,
): Earning | undefined {
  const vault = depositVaultOf(request);
  if (!vault || !isRanked(vault)) return undefined;
  const ofRedeem = redeemed && 'value' in redeemed ? redeemed.value : 0n;
  const assets = request.operation === 'deposit' ? request.assets : ofRedeem;
  return {
    assetsUsd: Number(formatAmount(assets, vault.asset.decimals)) * vault.assetPriceUsd,
    apy: vault.apy.month,
    apyBefore: request.operation === 'rebalance' ? request.vault.apy.month : 0,
  };
}

/**
 * Estimate the gas of a later full redeem, for the most that it may cost. Its call takes about as much gas as a deposit or a partial redeem of the same vault,
 * and half as much as a rebalance; more where the vault's redeem does.
 *
 * @param bareGas - estimate of the present operation
 * @param isDelegating - whether the present operation holds an authorization
 */
export function exitGasOf(request: CheckedRequest, bareGas: UserOperationGas, isDelegating: boolean): bigint {
  const { callGasLimit, preVerificationGas, paymasterPostOpGasLimit } = bareGas;
  const target = depositVaultOf(request);
  const more = target ? BigInt(Math.max(gasOf('redeem', target) - gasOf('deposit', target), 0)) : 0n;
  const call = (request.operation === 'rebalance' ? callGasLimit / 2n : callGasLimit) + more;
  const verification = minBigInt(bareGas.verificationGasLimit, laterGas.verification);
  const paymaster = minBigInt(bareGas.paymasterVerificationGasLimit, laterGas.paymaster);
  const authorization = isDelegating ? authorizationGas : 0n;
  return call + verification + paymaster + paymasterPostOpGasLimit + preVerificationGas - authorization;
}
