import { shareOfBalance } from '@yield-vault/protocol';
import type { Order } from '../types.js';

/** Say how many shares an order takes out of its vault, in base units; 0 for a deposit. */
export function sharesOf({ instruction }: Pick<Order, 'instruction'>, shareBalance: bigint): bigint {
  if (instruction.operation === 'deposit') return 0n;
  if (instruction.operation === 'rebalance') return shareBalance;
  const { amount } = instruction;
  return 'shares' in amount ? amount.shares : shareOfBalance(shareBalance, amount.percentage);
}

/** Tell whether an order empties the position: the executor then takes what is there at inclusion. */
export function takesAll({ instruction }: Pick<Order, 'instruction'>): boolean {
  if (instruction.operation === 'rebalance') return true;
  return (
    instruction.operation === 'redeem' &&
    'percentage' in instruction.amount &&
    instruction.amount.percentage === 100
  );
}
