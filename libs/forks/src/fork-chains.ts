import type { Deployment } from '@yield-vault/chains';
import type { ForkChain } from './types.js';

/** List what forks have to know about the chains of a deployment. */
export function forkChains({ chains }: Pick<Deployment, 'chains'>): readonly ForkChain[] {
  return Object.entries(chains).map(([key, chain]) => {
    const { chainId, rpcUrls, entryPoint, contracts, paymaster, usdc, fork } = chain;
    const { opStack, bundlerAccounts, usdcBalanceSlot, usdcMasterMinter, usdcWhale } = fork;
    return {
      key,
      chainId,
      upstreamUrls: rpcUrls,
      opStack,
      entryPoint,
      contracts,
      paymaster: paymaster.kind === 'own' ? 'own' : 'other',
      usdc: {
        address: usdc,
        ...(usdcBalanceSlot !== undefined && { balanceSlot: usdcBalanceSlot }),
        ...(usdcMasterMinter !== undefined && { masterMinter: usdcMasterMinter }),
        ...(usdcWhale !== undefined && { whale: usdcWhale }),
      },
      bundlerAccounts,
    };
  });
}
