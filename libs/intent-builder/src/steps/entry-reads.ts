import { erc20Abi, erc4626Abi } from 'viem';
import type { Order } from '../types.js';
import { balanceRead } from './balance-read.js';
import { enteredVault } from './entered-vault.js';
import { sharePriceProbe } from './share-price.js';

/**
 * List the reads of a deposit or rebalance, after those of the exit: what the entered vault is, what the deposit brings
 * there, and what that would pay at once.
 */
export function entryReads(order: Order) {
  const { wallet, instruction } = order;
  const entered = enteredVault(order);
  if (!entered) return {};
  const { asset, vaultAddress } = entered;
  const vault = { address: vaultAddress, abi: erc4626Abi } as const;
  const preview = { ...vault, functionName: 'previewDeposit' } as const;
  const isDeposit = instruction.operation === 'deposit';
  return {
    assetBalance: isDeposit ? balanceRead(asset.address, wallet) : undefined,
    asset: { ...vault, functionName: 'asset' },
    assetDecimals: { address: asset.address, abi: erc20Abi, functionName: 'decimals' },
    shareDecimals: { address: vaultAddress, abi: erc20Abi, functionName: 'decimals' },
    totalShares: { ...vault, functionName: 'totalSupply' },
    deposited: isDeposit
      ? { ...preview, args: [instruction.assets] }
      : { ...preview, args: [0n], takes: { read: 'redeemed' } },
    returned: { ...vault, functionName: 'previewRedeem', args: [0n], takes: { read: 'deposited' } },
    price: { ...vault, functionName: 'convertToAssets', args: [sharePriceProbe(entered)] },
  } as const;
}
