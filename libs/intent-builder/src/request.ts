import type { ActiveChains } from '@yield-vault/chains';
import {
  AssetMismatchError,
  DataStaleError,
  invalidParameters,
  NoSuitableVaultsError,
  parseAmount,
  shareOfBalance,
  UnknownVaultError,
  type ExecutionStrategy,
  type Json,
  type RankedVault,
  type Operation,
  type PrepareRequest,
  type RebalanceSource,
  type RebalanceTarget,
  type SetupStrategy,
  type Vault,
  type Violation,
} from '@yield-vault/protocol';
import { getAddress, isAddressEqual, maxUint256 } from 'viem';
import type { CheckedRequest, VaultCatalogue } from './types.js';

const staleRetryAfterSeconds = 60;
const targetStrategy = 'balanced';
const amountFields = { deposit: ['amount'], redeem: ['shares', 'percentage'], rebalance: [] } as const;

/** The next action where the target of a rebalance is refused: the caller cannot choose another target. */
export const redeemThenDeposit = 'Redeem, then deposit into a vault of your choice.';

/**
 * Check what a request means: its amounts, the active chains and the catalogue. The types, or the DTO of the API, have
 * checked its form.
 *
 * @throws {InvalidParametersError} with every violation of its amounts
 * @throws {ChainNotActiveError | UnknownVaultError | AssetMismatchError | DataStaleError | NoSuitableVaultsError}
 */
export function checkRequest(
  request: PrepareRequest,
  chains: ActiveChains,
  vaults: VaultCatalogue,
): CheckedRequest {
  requireAmounts(request);
  const chain = chains.require(request.chain);
  const vault = requireVault(request, vaults);
  requireAsset(request, vault);
  const { operation } = request;
  if (operation !== 'redeem') requireFreshData(request.chain, vaults);
  if (operation === 'deposit') requireListed(vault);
  const common = { chain, wallet: getAddress(request.agentAddress.toLowerCase()) };
  if (operation === 'deposit')
    return { ...common, operation, vault, assets: parseAmount(request.amount ?? '', vault.asset.decimals) };
  if (operation === 'rebalance') return { ...common, operation, ...chooseTarget(vault, vaults) };
  const { shares, percentage = 0 } = request;
  return {
    ...common,
    operation,
    vault,
    amount: shares === undefined ? { percentage } : { shares: BigInt(shares) },
  };
}

function requireAmounts(request: PrepareRequest): void {
  const violations = [...findViolations(request)];
  if (violations.length > 0) throw invalidParameters(violations);
}

function* findViolations(request: PrepareRequest): Generator<Violation> {
  const { operation, shares, percentage } = request;
  const allowed: readonly string[] = amountFields[operation];
  for (const field of ['amount', 'shares', 'percentage'] as const) {
    if (request[field] !== undefined && !allowed.includes(field))
      yield { field, message: `is not allowed with ${operation}` };
  }
  if (operation !== 'redeem') return;
  if ((shares === undefined) === (percentage === undefined))
    yield { field: 'shares', message: 'or percentage is needed with redeem, and not both' };
  if (shares !== undefined && !isShareCount(shares))
    yield { field: 'shares', message: 'must be a positive integer without leading zero' };
  if (percentage !== undefined && !(percentage > 0 && percentage <= 100))
    yield { field: 'percentage', message: 'must be above 0 and at most 100' };
}

// The executor reads the largest number as "all".
const isShareCount = (text: string) =>
  /^[1-9]\d*$/.test(text) && text.length <= 78 && BigInt(text) < maxUint256;

function requireVault({ vaultId, chain }: PrepareRequest, vaults: VaultCatalogue): Vault | RankedVault {
  const vault = vaults.find(vaultId);
  if (vault?.chain === chain) return vault;
  const where = vault ? ` It is on ${vault.chain}.` : '';
  throw new UnknownVaultError({
    detail: `No vault on ${chain} has the vaultId ${vaultId}.${where}`,
    details: { vaultId, chain },
    nextAction: vault && `Use chain ${vault.chain}.`,
  });
}

function requireAsset({ asset }: PrepareRequest, vault: Vault): void {
  if (asset === undefined || asset.toLowerCase() === vault.asset.symbol.toLowerCase()) return;
  throw new AssetMismatchError({
    detail: `The asset of ${vault.name} is ${vault.asset.symbol}, not ${asset}.`,
    details: { asset, vaultAsset: vault.asset.symbol },
  });
}

function requireFreshData(chain: string, vaults: VaultCatalogue): void {
  if (!vaults.isStale(chain)) return;
  throw new DataStaleError({
    detail: `The market data of ${chain} is too old for a deposit. A redeem is still possible.`,
    retryAfterSeconds: staleRetryAfterSeconds,
  });
}

/** A caller that gives a plain vault has chosen it. */
function requireListed(vault: Vault | RankedVault): void {
  if (!isRanked(vault) || vault.listed) return;
  const { vaultId, name, exclusions } = vault;
  throw new NoSuitableVaultsError({
    detail: `${name} takes no deposits through this service: ${exclusions.join(', ')}.`,
    nextAction: 'Call discover and choose a vault from its response.',
    details: { vaultId, exclusions },
  });
}

/** The source of a rebalance, with its target. */
interface RebalanceChoice {
  readonly vault: RankedVault;
  readonly target: RankedVault;
}

/**
 * Choose the target of a rebalance: the best vault of the same asset, which must rank above the source.
 *
 * @throws {NoSuitableVaultsError} with the source and the best other vault in `details`
 */
export function chooseTarget(source: Vault | RankedVault, vaults: VaultCatalogue): RebalanceChoice {
  const { chain, asset, vaultId } = source;
  if (!isRanked(source))
    throw new NoSuitableVaultsError({
      detail: `${source.name} has no score, so no vault can be compared with it.`,
      nextAction: redeemThenDeposit,
      details: { vaultId },
    });
  // Different tokens can share a symbol.
  const isFit = (vault: RankedVault) =>
    vault.vaultId !== vaultId && isAddressEqual(vault.asset.address, asset.address);
  const target = vaults.best?.(chain, asset.symbol, targetStrategy).find(isFit);
  const scoreOf = (vault: RankedVault) => vault.compositeScores[targetStrategy];
  if (target && scoreOf(target) > scoreOf(source)) return { vault: source, target };
  const place = `for ${asset.symbol} on ${chain}`;
  throw new NoSuitableVaultsError({
    detail: target
      ? `The source ${source.name} is the best vault ${place}.`
      : `There is no other vault ${place}.`,
    nextAction: target ? 'Stay in the vault: it is the best one.' : 'Stay in the vault, or redeem.',
    details: {
      reason: target ? 'ALREADY_BEST' : 'NO_CANDIDATE',
      source: toJson(describeTarget(source)),
      target: target ? toJson(describeTarget(target)) : null,
    },
  });
}

const toJson = ({ apy, risk, ...facts }: RebalanceTarget): Json => ({
  ...facts,
  apy: { ...apy },
  risk: { ...risk },
});

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
      target: describeTarget(request.target),
    }),
  };
  if (!isRanked(subject)) return { setup: common, execution: common };
  const { name, apy, risk, protocol, chain, tvlUsd } = subject;
  const strategy: SetupStrategy = { vaultName: name, expectedAPY: apy.now, riskScore: risk.level };
  const execution =
    operation === 'redeem' ? common : { ...common, strategy: { ...strategy, protocol, chain, tvl: tvlUsd } };
  return { setup: { ...common, strategy }, execution };
}

function describeSource({ vaultId, name, apy, risk, tvlUsd }: RankedVault): RebalanceSource {
  return { vaultId, vaultName: name, apy, risk, tvlUsd };
}

/** Add the score by which a rebalance compares vaults, rounded as in discover. */
function describeTarget(vault: RankedVault): RebalanceTarget {
  const compositeScore = Math.round(vault.compositeScores[targetStrategy] * 100) / 100;
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
