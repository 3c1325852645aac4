import type { ListedVault } from '@yield-vault/protocol';
import type { Order } from '../types.js';

/** Say which vault an order puts money into; none for a redeem. */
export function enteredVault({
  vault,
  instruction,
}: Pick<Order, 'vault' | 'instruction'>): ListedVault | undefined {
  if (instruction.operation === 'rebalance') return instruction.target;
  return instruction.operation === 'deposit' ? vault : undefined;
}
