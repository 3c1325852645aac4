import { paymasterAllowanceCap } from '@yield-vault/contracts';
import { minimumOut } from '@yield-vault/protocol';
import type { ExecutorHook } from '@yield-vault/smart-account';
import type { IntentBuilderOptions, Order, Plan, Snapshot } from '../types.js';
import { enteredVault } from './entered-vault.js';
import { leastShares } from './least-shares.js';
import type { Quotes } from './quotes-of.js';
import { sharesOf, takesAll } from './shares-of.js';

/**
 * Write an order down as executor hooks with the minimums that its signature protects. Until it expires a deposit
 * brings fewer shares, as the vault earns; a redeem brings no less than now, and what it may bring more is not counted
 * on: it can run at once.
 *
 * @param seconds - until the intent expires
 */
export function planHooks(
  order: Order,
  snapshot: Pick<Snapshot, 'shareBalance' | 'state'>,
  quotes: Quotes,
  seconds: number,
  options: Pick<IntentBuilderOptions, 'maxSlippageBps' | 'paymasterAllowanceUsdc'>,
): Plan {
  const { maxSlippageBps, paymasterAllowanceUsdc } = options;
  const entered = enteredVault(order);
  const minAssets = minimumOut(quotes.redeemed, maxSlippageBps);
  const minShares = entered
    ? minimumOut(leastShares(quotes.deposited, entered.apy, seconds), maxSlippageBps)
    : 0n;
  const hooks = [
    ...vaultHooks(order, snapshot.shareBalance, minAssets, minShares),
    ...allowanceHooks(snapshot.state, paymasterAllowanceUsdc),
  ];
  return entered
    ? { hooks, quotedOut: quotes.deposited, minOut: minShares }
    : { hooks, quotedOut: quotes.redeemed, minOut: minAssets };
}

function vaultHooks(
  order: Order,
  shareBalance: bigint,
  minAssets: bigint,
  minShares: bigint,
): ExecutorHook[] {
  const { vault, instruction } = order;
  const place = { vault: vault.vaultAddress, token: vault.asset.address };
  if (instruction.operation === 'deposit') {
    return [{ hook: 'deposit', ...place, amount: instruction.assets, minShares }];
  }
  const shares = takesAll(order) ? 'all' : sharesOf(order, shareBalance);
  const redeem = { hook: 'redeem', ...place, shares, minAssets } as const;
  if (instruction.operation === 'redeem') return [redeem];
  const destination = { vault: instruction.target.vaultAddress, token: instruction.target.asset.address };
  return [redeem, { hook: 'deposit', ...destination, amount: 'previous', minShares }];
}

// Every operation uses the allowance up by its full budget. Restoring it inside an operation spares the wallet a
// setup transaction, for which it would need ether.
function allowanceHooks(state: Snapshot['state'], allowance: bigint): ExecutorHook[] {
  const amount = allowance < paymasterAllowanceCap ? allowance : paymasterAllowanceCap;
  const isLow = state.kind === 'configured' && state.paymasterAllowance < amount / 2n;
  return isLow ? [{ hook: 'approve-paymaster', amount }] : [];
}
