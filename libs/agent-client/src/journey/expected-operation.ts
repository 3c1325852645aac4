import { minimumOut, parseAmount, shareOfBalance, vaultIdOf } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { JourneyError } from '../errors.js';
import type { BookToken, ExpectedOperation } from '../verify/types.js';
import type { Node } from './node.js';
import type { Order } from './types.js';

/** What an order is held against. */
export interface Circumstances {
  readonly wallet: Address;
  readonly token: BookToken;
  readonly maxSlippageBps: number;
  /** Id of the vault that the service chose; of a rebalance only. */
  readonly targetVaultId: string | undefined;
}

/**
 * Say what the envelope of an order must be, with minimums from the agent's own node.
 *
 * @throws {JourneyError} `NO_POSITION` when there is nothing to redeem, `NO_VAULT` when the target is not one of those
 * that were named.
 * @throws {InvalidParametersError} When the amount is no amount of the token.
 */
export async function expectedOperation(
  order: Order,
  { wallet, token, maxSlippageBps, targetVaultId }: Circumstances,
  node: Node,
): Promise<ExpectedOperation> {
  const { vault } = order;
  const asset = token.address;
  if (order.operation === 'deposit') {
    const amount = parseAmount(order.amount, token.decimals);
    const minShares = minimumOut(await node.sharesFor(amount, vault), maxSlippageBps);
    return { kind: 'deposit', vault, asset, amount, minShares };
  }

  const balance = await node.sharesOf(wallet, vault);
  const shares = order.operation === 'redeem' ? shareOfBalance(balance, order.percentage) : balance;
  if (shares === 0n) throw new JourneyError('NO_POSITION', `The wallet has no such shares of ${vault}.`);
  const assets = await node.assetsFor(shares, vault);
  const minAssets = minimumOut(assets, maxSlippageBps);
  if (order.operation === 'redeem') {
    const takesAll = order.percentage === 100;
    return { kind: 'redeem', vault, asset, shares: takesAll ? 'all' : { atMost: shares }, minAssets };
  }

  const to = order.targets.find((target) => vaultIdOf(token.chainId, target) === targetVaultId);
  if (!to) throw new JourneyError('NO_VAULT', 'The service chose a target that was not named.');
  const minShares = minimumOut(await node.sharesFor(assets, to), maxSlippageBps);
  return { kind: 'rebalance', from: vault, to, asset, minAssets, minShares };
}
