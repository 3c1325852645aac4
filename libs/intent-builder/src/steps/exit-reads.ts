import { percentageToFraction } from '@yield-vault/protocol';
import { erc4626Abi } from 'viem';
import type { Order } from '../types.js';
import { balanceRead } from './balance-read.js';

/** List the reads of a redeem or rebalance: the shares there are, and what the part is paid that is taken out. */
export function exitReads({ wallet, vault, instruction }: Order) {
  if (instruction.operation === 'deposit') return {};
  const preview = { address: vault.vaultAddress, abi: erc4626Abi, functionName: 'previewRedeem' } as const;
  const amount = instruction.operation === 'redeem' ? instruction.amount : { percentage: 100 };
  const shareBalance = balanceRead(vault.vaultAddress, wallet);
  if ('shares' in amount) return { shareBalance, redeemed: { ...preview, args: [amount.shares] } } as const;
  const takes = { read: 'shareBalance', part: percentageToFraction(amount.percentage) } as const;
  return { shareBalance, redeemed: { ...preview, args: [0n], takes } } as const;
}
