import type { ActiveChains } from '@yield-vault/chains';
import {
  AssetMismatchError,
  DataStaleError,
  invalidParameters,
  NoSuitableVaultsError,
  parseAmount,
  riskLevels,
  UnknownVaultError,
  type Json,
  type PrepareRequest,
  type RankedVault,
  type RebalanceSteering,
  type RebalanceTarget,
  type Strategy,
  type Vault,
  type Violation,
} from '@yield-vault/protocol';
import { getAddress, isAddressEqual, maxUint256 } from 'viem';
import { describeTarget, isRanked } from './request.js';
import type { CheckedRequest, VaultCatalogue } from './types.js';

const staleRetryAfterSeconds = 60;
const amountFields = { deposit: ['amount'], redeem: ['shares', 'percentage'], rebalance: [] } as const;

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
  steering: RebalanceSteering = {},
): CheckedRequest {
  requireFields(request, steering);
  const chain = chains.require(request.chain);
  const vault = requireVault(request, vaults);
  requireAsset(request, vault);
  const { operation } = request;
  if (operation !== 'redeem') requireFreshData(request.chain, vaults);
  if (operation === 'deposit') requireListed(vault);
  const common = { chain, wallet: getAddress(request.agentAddress.toLowerCase()) };
  if (operation === 'deposit')
    return { ...common, operation, vault, assets: parseAmount(request.amount ?? '', vault.asset.decimals) };
  if (operation === 'rebalance') return { ...common, operation, ...chooseTarget(vault, vaults, steering) };
  const { shares, percentage = 0 } = request;
  return {
    ...common,
    operation,
    vault,
    amount: shares === undefined ? { percentage } : { shares: BigInt(shares) },
  };
}

function requireFields(request: PrepareRequest, steering: RebalanceSteering): void {
  const violations = [...findViolations(request), ...findSteeringViolations(request, steering)];
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

function* findSteeringViolations(
  { operation, vaultId }: PrepareRequest,
  { targetVaultId, ...ranking }: RebalanceSteering,
): Generator<Violation> {
  for (const [field, value] of Object.entries({ targetVaultId, ...ranking })) {
    if (value === undefined) continue;
    if (operation !== 'rebalance') yield { field, message: `is not allowed with ${operation}` };
    else if (targetVaultId === undefined) continue;
    else if (field !== 'targetVaultId')
      yield { field, message: 'is not allowed together with targetVaultId' };
    else if (targetVaultId === vaultId) yield { field, message: 'is the vault to leave' };
  }
}

// The executor reads the largest number as "all".
const isShareCount = (text: string) =>
  /^[1-9]\d*$/.test(text) && text.length <= 78 && BigInt(text) < maxUint256;

function requireVault(
  { vaultId, chain }: Pick<PrepareRequest, 'vaultId' | 'chain'>,
  vaults: VaultCatalogue,
): Vault | RankedVault {
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
  throw assetMismatch(vault, asset);
}

function assetMismatch({ name, asset: { symbol } }: Vault, asset: string): AssetMismatchError {
  return new AssetMismatchError({
    detail: `The asset of ${name} is ${symbol}, not ${asset}.`,
    details: { asset, vaultAsset: symbol },
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
  /** By which the target was chosen. */
  readonly strategy: Strategy;
}

/**
 * Choose the target of a rebalance: the vault that the request names, or the best one of the same asset. That one must rank
 * above the source, unless the source is above the risk tolerance.
 *
 * @throws {UnknownVaultError | AssetMismatchError} when the named vault does not fit
 * @throws {NoSuitableVaultsError} when it takes no deposits; otherwise with the source and the best other vault in `details`
 */
export function chooseTarget(
  source: Vault | RankedVault,
  vaults: VaultCatalogue,
  { targetVaultId, strategy = 'balanced', riskTolerance = 'high' }: RebalanceSteering = {},
): RebalanceChoice {
  requireScore(source);
  const { chain, asset, vaultId } = source;
  // Different tokens can share a symbol.
  const isOfAsset = (vault: Vault) => isAddressEqual(vault.asset.address, asset.address);
  if (targetVaultId !== undefined) {
    const target = requireVault({ vaultId: targetVaultId, chain }, vaults);
    if (!isOfAsset(target)) throw assetMismatch(target, asset.symbol);
    requireListed(target);
    requireScore(target);
    return { vault: source, target, strategy };
  }
  const isTolerated = ({ risk }: RankedVault) =>
    riskLevels.indexOf(risk.level) <= riskLevels.indexOf(riskTolerance);
  const target = vaults
    .best?.(chain, asset.symbol, strategy)
    .find((vault) => vault.vaultId !== vaultId && isOfAsset(vault) && isTolerated(vault));
  const scoreOf = (vault: RankedVault) => vault.compositeScores[strategy];
  if (target && (!isTolerated(source) || scoreOf(target) > scoreOf(source)))
    return { vault: source, target, strategy };
  const place = `for ${asset.symbol} on ${chain}`;
  throw new NoSuitableVaultsError({
    detail: target
      ? `The source ${source.name} is the best vault ${place}.`
      : `There is no other vault ${place}.`,
    nextAction: target ? 'Stay in the vault: it is the best one.' : 'Stay in the vault, or redeem.',
    details: {
      reason: target ? 'ALREADY_BEST' : 'NO_CANDIDATE',
      source: toJson(describeTarget(source, strategy)),
      target: target ? toJson(describeTarget(target, strategy)) : null,
    },
  });
}

function requireScore(vault: Vault | RankedVault): asserts vault is RankedVault {
  if (isRanked(vault)) return;
  throw new NoSuitableVaultsError({
    detail: `${vault.name} has no score, so no vault can be compared with it.`,
    nextAction: 'Redeem, then deposit into a vault of your choice.',
    details: { vaultId: vault.vaultId },
  });
}

const toJson = ({ apy, risk, ...facts }: RebalanceTarget): Json => ({
  ...facts,
  apy: { ...apy },
  risk: { ...risk },
});
