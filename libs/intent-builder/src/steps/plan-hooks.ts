import { paymasterAllowanceCap } from '@yield-vault/contracts';
import { minimumOut } from '@yield-vault/protocol';
import type { ExecutorHook } from '@yield-vault/smart-account';
import type { IntentBuilderOptions, Order, Plan, Snapshot } from '../types.js';
import { sharesOf, takesAll } from './shares-of.js';

/** What the vaults say an order brings, in base units. */
export interface Quotes {
  /** Of the vault that the order ends in: shares of a deposit, assets of a redeem, shares of a rebalance. */
  readonly out: bigint;
  /** Assets that the source of a rebalance pays. */
  readonly sourceOut: bigint;
}

/**
 * Write an order down as executor hooks with the minimums that its signature protects.
 *
 * @param quotes - quotes of 0 give the smallest minimums, for an estimate
 */
export function planHooks(
  order: Order,
  snapshot: Pick<Snapshot, 'shareBalance' | 'state'>,
  quotes: Quotes,
  options: Pick<IntentBuilderOptions, 'maxSlippageBps' | 'paymasterAllowanceUsdc'>,
): Plan {
  const minOut = minimumOut(quotes.out, options.maxSlippageBps);
  const hooks = [
    ...vaultHooks(order, snapshot.shareBalance, minOut, minimumOut(quotes.sourceOut, options.maxSlippageBps)),
    ...allowanceHooks(snapshot.state, options.paymasterAllowanceUsdc),
  ];
  return { hooks, quotedOut: quotes.out, minOut };
}

function vaultHooks(
  order: Order,
  shareBalance: bigint,
  minOut: bigint,
  minSourceOut: bigint,
): ExecutorHook[] {
  const { vault, instruction } = order;
  const place = { vault: vault.vaultAddress, token: vault.asset.address };
  if (instruction.operation === 'deposit') {
    return [{ hook: 'deposit', ...place, amount: instruction.assets, minShares: minOut }];
  }
  const shares = takesAll(order) ? 'all' : sharesOf(order, shareBalance);
  if (instruction.operation === 'redeem') {
    return [{ hook: 'redeem', ...place, shares, minAssets: minOut }];
  }
  const destination = { vault: instruction.target.vaultAddress, token: instruction.target.asset.address };
  return [
    { hook: 'redeem', ...place, shares, minAssets: minSourceOut },
    { hook: 'deposit', ...destination, amount: 'previous', minShares: minOut },
  ];
}

// Every operation uses the allowance up by its full budget. Restoring it inside an operation spares the wallet a
// setup transaction, for which it would need ether.
function allowanceHooks(state: Snapshot['state'], allowance: bigint): ExecutorHook[] {
  const amount = allowance < paymasterAllowanceCap ? allowance : paymasterAllowanceCap;
  const isLow = state.kind === 'configured' && state.paymasterAllowance < amount / 2n;
  return isLow ? [{ hook: 'approve-paymaster', amount }] : [];
}
