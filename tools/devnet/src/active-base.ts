import { createActiveChains, type ActiveChain } from '@yield-vault/chains';
import { canonical, suite } from '@yield-vault/contracts';
import { devnetChainIds, type DevnetChain } from './types.js';

const deadlineMs = 10_000;

/** Describe a local chain that stands in for Base, and its bundler if it has one, as a deployment would. */
export function activeBase({
  rpcUrl,
  bundlerUrl = '',
}: Pick<DevnetChain, 'rpcUrl'> & Partial<Pick<DevnetChain, 'bundlerUrl'>>): ActiveChain {
  const chainId = devnetChainIds.base;
  return createActiveChains({
    chains: {
      base: {
        chainId,
        name: 'Base',
        relayMode: 'chain',
        rpcUrls: [rpcUrl],
        bundlerUrl: bundlerUrl || null,
        explorerUrl: 'https://basescan.org',
        entryPoint: canonical.entryPointV08,
        entryPointVersion: '0.8',
        paymaster: { kind: 'own' },
        contracts: suite,
        usdc: canonical.usdc[chainId],
        fork: { opStack: true, bundlerAccounts: [] },
        deadlines: { rpcMs: deadlineMs, bundlerMs: deadlineMs },
      },
    },
  }).require('base');
}
