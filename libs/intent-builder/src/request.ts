import {
  shareOfBalance,
  type ExecutionStrategy,
  type Operation,
  type RankedVault,
  type RebalanceSource,
  type RebalanceTarget,
  type SetupStrategy,
  type Strategy,
  type Vault,
} from '@yield-vault/protocol';
import { isAddressEqual } from 'viem';
import type { CheckedRequest } from './types.js';

/** The next action where the target of a rebalance is refused. */
export const redeemThenDeposit = 'Name another vault by targetVaultId, or redeem and deposit.';

interface CommonDescription {
  readonly operation: Operation;
  readonly source?: RebalanceSource;
  readonly target?: RebalanceTarget;
}

/** The part of both kinds of responses that describes the vaults of a request. */
export interface RequestDescription {
  readonly setup: CommonDescription & { readonly strategy?: SetupStrategy };
  readonly execution: CommonDescription & { readonly strategy?: ExecutionStrategy };
}

/** Describe the vaults of a request. The strategy of a rebalance describes its target. A plain vault has none. */
export function describeRequest(request: CheckedRequest): RequestDescription {
  const { operation, vault } = request;
  const subject = depositVaultOf(request) ?? vault;
  const common: CommonDescription = {
    operation,
    ...(request.operation === 'rebalance' && {
      source: describeSource(request.vault),
      target: describeTarget(request.target, request.strategy),
    }),
  };
  if (!isRanked(subject)) return { setup: common, execution: common };
  const { name, apy, risk, protocol, chain, tvlUsd } = subject;
  const strategy: SetupStrategy = {
    vaultName: name,
    expectedAPY: apy.now,
    riskScore: risk.level,
    apyNow: apy.now,
    riskLevel: risk.level,
  };
  const execution =
    operation === 'redeem' ? common : { ...common, strategy: { ...strategy, protocol, chain, tvl: tvlUsd } };
  return { setup: { ...common, strategy }, execution };
}

function describeSource({ vaultId, name, apy, risk, tvlUsd }: RankedVault): RebalanceSource {
  return { vaultId, vaultName: name, apy, risk, tvlUsd };
}

/** Describe a vault with the score by which a rebalance compares it, rounded as in discover. */
export function describeTarget(vault: RankedVault, strategy: Strategy): RebalanceTarget {
  const compositeScore = Math.round(vault.compositeScores[strategy] * 100) / 100;
  return { ...describeSource(vault), compositeScore };
}

/** Whether the catalogue has measured a vault. */
export const isRanked = (vault: Vault | RankedVault): vault is RankedVault => 'compositeScores' in vault;

/** The vault that a request deposits into; none for a redeem. */
export function depositVaultOf(request: CheckedRequest): Vault | RankedVault | undefined {
  if (request.operation === 'rebalance') return request.target;
  return request.operation === 'deposit' ? request.vault : undefined;
}

/** How many shares a request redeems, in base units; 0 for a deposit. */
export function sharesOf(request: CheckedRequest, shareBalance: bigint): bigint {
  if (request.operation === 'deposit') return 0n;
  if (request.operation === 'rebalance') return shareBalance;
  const { amount } = request;
  return 'shares' in amount ? amount.shares : shareOfBalance(shareBalance, amount.percentage);
}

/** Whether a request redeems the whole position: the executor then takes the balance at inclusion. */
export function redeemsAll(request: CheckedRequest): boolean {
  if (request.operation !== 'redeem') return request.operation === 'rebalance';
  return 'percentage' in request.amount && request.amount.percentage === 100;
}

/** Whether the asset of a request is the USDC that pays for gas. A rebalance stays in one asset. */
export function movesUsdc({ vault, chain }: Pick<CheckedRequest, 'vault' | 'chain'>): boolean {
  return isAddressEqual(vault.asset.address, chain.usdc);
}

/** The USDC that a request spends besides gas, in base units. */
export function spentUsdc(request: CheckedRequest): bigint {
  return request.operation === 'deposit' && movesUsdc(request) ? request.assets : 0n;
}
