import { createActiveChains, type ActiveChain, type PaymasterConfig } from '@yield-vault/chains';
import { canonical, suite } from '@yield-vault/contracts';
import { entryPointVersionOf } from '@yield-vault/protocol';
import { devnetChainIds, type DevnetChain } from './types.js';

const deadlineMs = 10_000;

/**
 * Describe a local chain that stands in for Base, and its bundler if it has one, as a deployment would.
 *
 * @param chain.entryPoint EntryPoint v0.8 by default.
 * @param chain.contracts The default suite when they are left out.
 * @param paymaster What the paymaster among the contracts is; the suite's own by default.
 */
export function activeBase(
  {
    rpcUrl,
    bundlerUrl = '',
    entryPoint = canonical.entryPointV08,
    contracts = suite,
  }: Pick<DevnetChain, 'rpcUrl'> & Partial<Pick<DevnetChain, 'bundlerUrl' | 'entryPoint' | 'contracts'>>,
  paymaster: PaymasterConfig = { kind: 'own' },
): ActiveChain {
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
        entryPoint,
        entryPointVersion: entryPointVersionOf(entryPoint) ?? '0.8',
        paymaster,
        contracts,
        usdc: canonical.usdc[chainId],
        fork: { opStack: true, bundlerAccounts: [] },
        deadlines: { rpcMs: deadlineMs, bundlerMs: deadlineMs },
      },
    },
  }).require('base');
}
