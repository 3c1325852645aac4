import type { ActiveChains } from '@yield-vault/chains';
import {
  AssetMismatchError,
  DataStaleError,
  InvalidParametersError,
  NoSuitableVaultsError,
  operations,
  parseAmount,
  UnknownVaultError,
  type ListedVault,
  type Operation,
  type PrepareRequest,
} from '@yield-vault/protocol';
import { getAddress, maxUint256 } from 'viem';
import type { VaultCatalogue } from '../ports.js';
import type { Instruction, Order } from '../types.js';
import { chooseTarget } from './choose-target.js';

const staleRetryAfterSeconds = 60;

/**
 * Check a request against the rules of the interface, the active chains and the catalogue.
 *
 * @throws {InvalidParametersError} with every violation of the form of the request
 * @throws {ChainNotActiveError | UnknownVaultError | AssetMismatchError | DataStaleError | NoSuitableVaultsError}
 */
export function checkRequest(request: PrepareRequest, chains: ActiveChains, vaults: VaultCatalogue): Order {
  requireForm(request);
  const chain = chains.require(request.chain);
  const vault = requireVault(request, vaults);
  requireAsset(request, vault);
  if (request.operation !== 'redeem') requireFreshData(request.chain, vaults);
  if (request.operation === 'deposit') requireListed(vault);
  const wallet = getAddress(request.agentAddress.toLowerCase());
  return { chain, wallet, vault, instruction: instructionOf(request, vault, vaults) };
}

function requireForm(request: PrepareRequest): void {
  const violations = [...findViolations(request)];
  if (violations.length === 0) return;
  throw new InvalidParametersError({
    detail: violations.map(({ field, message }) => `${field}: ${message}.`).join(' '),
    details: { violations },
  });
}

interface Violation {
  readonly [key: string]: string;
  readonly field: string;
  readonly message: string;
}

function* findViolations(request: PrepareRequest): Generator<Violation> {
  const { operation, agentAddress, vaultId } = request;
  if (!/^0x[0-9a-fA-F]{40}$/.test(agentAddress)) {
    yield { field: 'agentAddress', message: 'must be 0x and 40 hex digits' };
  }
  if (!/^\d+$/.test(vaultId)) yield { field: 'vaultId', message: 'must be digits' };
  if (operation === 'deposit') yield* findDepositViolations(request);
  else if (operation === 'redeem') yield* findRedeemViolations(request);
  else if (operation === 'rebalance') yield* refuse(request, 'rebalance', ['amount', 'shares', 'percentage']);
  else yield { field: 'operation', message: `must be one of ${operations.join(', ')}` };
}

function* findDepositViolations(request: PrepareRequest): Generator<Violation> {
  for (const field of ['asset', 'amount'] as const) {
    if (request[field] === undefined) yield { field, message: 'is required for deposit' };
  }
  yield* refuse(request, 'deposit', ['shares', 'percentage']);
}

function* findRedeemViolations(request: PrepareRequest): Generator<Violation> {
  const { shares, percentage } = request;
  yield* refuse(request, 'redeem', ['amount']);
  if ((shares === undefined) === (percentage === undefined)) {
    yield { field: 'shares', message: 'exactly one of shares and percentage is required for redeem' };
  }
  if (shares !== undefined && !isShareCount(shares)) {
    yield { field: 'shares', message: 'must be a positive integer without leading zero' };
  }
  if (percentage !== undefined && !(percentage > 0 && percentage <= 100)) {
    yield { field: 'percentage', message: 'must be above 0 and at most 100' };
  }
}

function* refuse(
  request: PrepareRequest,
  operation: Operation,
  fields: readonly ('amount' | 'shares' | 'percentage')[],
): Generator<Violation> {
  for (const field of fields) {
    if (request[field] !== undefined) yield { field, message: `may not be given with ${operation}` };
  }
}

// The largest number would mean "all" to the executor.
const isShareCount = (text: string) =>
  /^[1-9]\d*$/.test(text) && text.length <= 78 && BigInt(text) < maxUint256;

function requireVault({ vaultId, chain }: PrepareRequest, vaults: VaultCatalogue): ListedVault {
  const vault = vaults.find(vaultId);
  if (vault?.chain === chain) return vault;
  const where = vault ? ` It is on ${vault.chain}.` : '';
  throw new UnknownVaultError({
    detail: `No vault on ${chain} has the vaultId ${vaultId}.${where}`,
    details: { vaultId, chain },
  });
}

function requireAsset({ asset }: PrepareRequest, vault: ListedVault): void {
  if (asset === undefined || asset.toLowerCase() === vault.asset.symbol.toLowerCase()) return;
  throw new AssetMismatchError({
    detail: `The asset of ${vault.name} is ${vault.asset.symbol}, not ${asset}.`,
    details: { asset, vaultAsset: vault.asset.symbol },
  });
}

function requireFreshData(chain: string, vaults: VaultCatalogue): void {
  if (!vaults.isStale(chain)) return;
  throw new DataStaleError({
    detail: `The market data of ${chain} is too old to put money on. A redeem is still possible.`,
    retryAfterSeconds: staleRetryAfterSeconds,
  });
}

function requireListed({ vaultId, name, listed, exclusions }: ListedVault): void {
  if (listed) return;
  throw new NoSuitableVaultsError({
    detail: `${name} takes no deposits through this service: ${exclusions.join(', ')}.`,
    nextAction: 'Call discover and choose a vault of its answer.',
    details: { vaultId, exclusions },
  });
}

function instructionOf(request: PrepareRequest, vault: ListedVault, vaults: VaultCatalogue): Instruction {
  const { operation, amount, shares, percentage } = request;
  if (operation === 'deposit') return { operation, assets: parseAmount(amount ?? '', vault.asset.decimals) };
  if (operation === 'rebalance') return { operation, target: chooseTarget(vault, vaults) };
  const redeemed = shares === undefined ? { percentage: percentage ?? 0 } : { shares: BigInt(shares) };
  return { operation, amount: redeemed };
}
