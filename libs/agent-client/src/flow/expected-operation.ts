import {
  minimumOut,
  parseAmount,
  shareOfBalance,
  vaultIdOf,
  type RebalanceTarget,
} from '@yield-vault/protocol';
import { isAddressEqual, type Address } from 'viem';
import { FlowError } from '../errors.js';
import type { PrepareRequest } from '../types.js';
import type { AddressBook, BookToken } from '../verify/address-book.js';
import type { Effect } from '../verify/effects.js';
import type { ExpectedOperation } from '../verify/expectations.js';
import { VerificationError } from '../verify/result.js';
import type { WalletNode } from './wallet-node.js';
import type { OperationRequest, RebalanceChoice } from './types.js';

/** Inputs for checking a request. */
export interface Circumstances {
  readonly wallet: Address;
  readonly token: BookToken;
  readonly maxSlippageBps: number;
  /** The vault that the service chose; only for a rebalance. */
  readonly target: Address | undefined;
}

/**
 * Say what the envelope of a request must be, with minimums from the agent's own node.
 *
 * @throws {FlowError} `NO_POSITION` when there is nothing to redeem, `NO_VAULT` when the target is not an allowed one
 * @throws {InvalidParametersError} when the amount is no amount of the token
 */
export async function expectedOperation(
  request: OperationRequest,
  { wallet, token, maxSlippageBps, target }: Circumstances,
  node: WalletNode,
): Promise<ExpectedOperation> {
  const { vault } = request;
  const asset = token.address;
  if (request.operation === 'deposit') {
    const amount = parseAmount(request.amount, token.decimals);
    const minShares = minimumOut(await node.sharesFor(amount, vault), maxSlippageBps);
    return { kind: 'deposit', vault, asset, amount, minShares };
  }

  const balance = await node.sharesOf(wallet, vault);
  const shares = request.operation === 'redeem' ? shareOfBalance(balance, request.percentage) : balance;
  if (shares === 0n) throw new FlowError('NO_POSITION', `The wallet holds too few shares of ${vault}.`);
  const assets = await node.assetsFor(shares, vault);
  const minAssets = minimumOut(assets, maxSlippageBps);
  if (request.operation === 'redeem') {
    const takesAll = request.percentage === 100;
    return { kind: 'redeem', vault, asset, shares: takesAll ? 'all' : { atMost: shares }, minAssets };
  }

  const to = targetAmong(request, (one) => target !== undefined && isAddressEqual(one, target));
  const minShares = minimumOut(await node.sharesFor(assets, to), maxSlippageBps);
  return { kind: 'rebalance', from: vault, to, asset, minAssets, minShares };
}

/** Write a request as fields of prepare, without its place. */
export function prepareFields(
  request: OperationRequest,
  chainId: number,
): Omit<PrepareRequest, 'chain' | 'agentAddress' | 'vaultId' | 'shares'> {
  const { operation, asset } = request;
  if (operation === 'deposit') return { operation, asset, amount: request.amount };
  if (operation === 'redeem') return { operation, asset, percentage: request.percentage };
  if ('target' in request) return { operation, asset, targetVaultId: vaultIdOf(chainId, request.target) };
  const { strategy, riskTolerance } = request;
  return { operation, asset, strategy, riskTolerance };
}

/**
 * Narrow a rebalance to the target that the service named, so that its envelope must go there.
 *
 * @param prepared - the response of prepare
 * @throws {FlowError} `NO_VAULT` when the target is not an allowed one
 */
export function narrowToTarget(
  request: OperationRequest,
  chainId: number,
  prepared: { readonly target?: Pick<RebalanceTarget, 'vaultId'> },
): OperationRequest {
  if (request.operation !== 'rebalance') return request;
  const { operation, vault, asset } = request;
  const target = targetAmong(request, (one) => vaultIdOf(chainId, one) === prepared.target?.vaultId);
  return { operation, vault, asset, target };
}

function targetAmong(
  choice: RebalanceChoice & Pick<OperationRequest, 'vault'>,
  isTarget: (vault: Address) => boolean,
): Address {
  const target = ('target' in choice ? [choice.target] : choice.targets).find(isTarget);
  if (target && !isAddressEqual(target, choice.vault)) return target;
  throw new FlowError('NO_VAULT', 'The service chose the source, or a vault that is not among the targets.');
}

/**
 * Check that each vault meets its minimum now. With a higher one the operation would fail, and its gas be charged.
 *
 * @throws {VerificationError} `MINIMUM_TOO_HIGH`
 */
export async function requireReachableMinimums(
  effects: readonly Effect[],
  wallet: Address,
  node: WalletNode,
): Promise<void> {
  let redeemed = 0n;
  for (const effect of effects) {
    if (effect.effect === 'redeem') {
      const { vault, shares, minAssets } = effect;
      redeemed = await node.assetsFor(shares === 'all' ? await node.sharesOf(wallet, vault) : shares, vault);
      requireAtMost('minAssets', minAssets, redeemed, vault);
    } else if (effect.effect === 'deposit') {
      const { vault, amount, minShares } = effect;
      const quote = await node.sharesFor(amount === 'previous' ? redeemed : amount, vault);
      requireAtMost('minShares', minShares, quote, vault);
    }
  }
}

function requireAtMost(name: string, minimum: bigint, quote: bigint, vault: Address): void {
  if (minimum <= quote) return;
  throw new VerificationError({
    ok: false,
    reason: 'MINIMUM_TOO_HIGH',
    field: 'userOps.0.userOperation.callData',
    detail: `${name} is ${minimum}, above ${quote}, the quote of vault ${vault}.`,
  });
}

/**
 * Find the token of a symbol on a chain. The address book decides, never the service.
 *
 * @throws {FlowError} `UNKNOWN_CHAIN` or `UNKNOWN_ASSET` when the book does not have it
 */
export function findToken(book: AddressBook, chain: string, asset: string): BookToken {
  const chainId = book.deployments.find((deployment) => deployment.chain === chain)?.chainId;
  if (chainId === undefined)
    throw new FlowError('UNKNOWN_CHAIN', `The address book has no deployment on ${chain}.`);
  const symbol = asset.toLowerCase();
  const token = book.tokens.find((one) => one.chainId === chainId && one.symbol.toLowerCase() === symbol);
  if (!token) throw new FlowError('UNKNOWN_ASSET', `The address book has no ${asset} on ${chain}.`);
  return token;
}
