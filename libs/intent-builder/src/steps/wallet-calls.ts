import { entryPointV08Abi } from '@yield-vault/contracts';
import { nonceKey, walletStateCalls } from '@yield-vault/smart-account';
import { erc20Abi, erc4626Abi, type Address } from 'viem';
import type { Order } from '../types.js';

/** List the calls that answer everything an order needs to know, except for the wallet's code. */
export function walletCalls(order: Order) {
  const { chain, wallet, vault } = order;
  const { contracts, entryPoint, usdc, chainId } = chain;
  const balanceOf = (token: Address) =>
    ({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }) as const;
  return [
    ...walletStateCalls({ ...contracts, usdc, entryPoint, chainId }, wallet),
    {
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [wallet, nonceKey(contracts.validator)],
    },
    balanceOf(vault.asset.address),
    balanceOf(usdc),
    balanceOf(vault.vaultAddress),
    quoteCall(order),
  ] as const;
}

/** The one number of the vault that can be asked for before the wallet's balance is known. */
function quoteCall({ vault, instruction }: Order) {
  const call = { address: vault.vaultAddress, abi: erc4626Abi } as const;
  if (instruction.operation === 'deposit') {
    return { ...call, functionName: 'previewDeposit', args: [instruction.assets] } as const;
  }
  const shares =
    instruction.operation === 'redeem' && 'shares' in instruction.amount
      ? instruction.amount.shares
      : 10n ** BigInt(vault.shareDecimals);
  return { ...call, functionName: 'previewRedeem', args: [shares] } as const;
}
