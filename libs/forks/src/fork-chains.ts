import type { ChainConfig } from '@yield-vault/chains';
import type { ForkChain } from './types.js';

/** List the chains of a deployment as forks need them. */
export function forkChains({
  chains,
}: {
  readonly chains: Readonly<Record<string, ChainConfig>>;
}): readonly ForkChain[] {
  return Object.entries(chains).map(([key, chain]) => {
    const { chainId, rpcUrls, entryPoint, contracts, paymaster, usdc, fork } = chain;
    const { opStack, bundlerAccounts, usdcBalanceSlot, usdcMasterMinter } = fork;
    return {
      key,
      chainId,
      upstreamUrls: rpcUrls,
      opStack,
      entryPoint,
      contracts,
      paymaster: paymaster.kind === 'own' ? 'own' : 'other',
      usdc: { address: usdc, balanceSlot: usdcBalanceSlot, masterMinter: usdcMasterMinter },
      bundlerAccounts,
    };
  });
}
