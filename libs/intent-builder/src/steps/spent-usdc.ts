import { isAddressEqual } from 'viem';
import type { Order } from '../types.js';

/** Say how much USDC an order spends besides gas, in base units. */
export function spentUsdc({ chain, vault, instruction }: Order): bigint {
  const isSpent = instruction.operation === 'deposit' && isAddressEqual(vault.asset.address, chain.usdc);
  return isSpent ? instruction.assets : 0n;
}
