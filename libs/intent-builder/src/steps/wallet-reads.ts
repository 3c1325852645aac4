import { entryPointV08Abi } from '@yield-vault/contracts';
import { nonceKey, walletStateCalls } from '@yield-vault/smart-account';
import type { Order } from '../types.js';
import { balanceRead } from './balance-read.js';

/** List the reads that tell whether a wallet is set up, and what every operation of it needs. */
export function walletReads({ chain, wallet }: Pick<Order, 'chain' | 'wallet'>) {
  const { contracts, entryPoint, usdc, chainId } = chain;
  const [validatorInstalled, executorInstalled, paymasterAllowance] = walletStateCalls(
    { ...contracts, usdc, entryPoint, chainId },
    wallet,
  );
  return {
    validatorInstalled,
    executorInstalled,
    paymasterAllowance,
    nonce: {
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [wallet, nonceKey(contracts.validator)],
    },
    usdcBalance: balanceRead(usdc, wallet),
  } as const;
}
