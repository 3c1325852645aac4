import { createActiveChains, type ActiveChain, type PaymasterConfig } from '@yield-vault/chains';
import { canonical, chainFacts, localContracts } from '@yield-vault/contracts';
import type { DevnetChain } from './types.js';

const deadlineMs = 10_000;
const chainId = 8453;

/**
 * Describe a local chain in place of Base, and its bundler if it has one, as a deployment would.
 *
 * @param chain.entryPoint EntryPoint v0.8 by default.
 * @param chain.contracts The local contracts by default.
 * @param paymaster The kind of the paymaster; ours by default.
 */
export function activeBase(
  {
    rpcUrl,
    bundlerUrl,
    entryPoint = canonical.entryPointV08,
    contracts = localContracts(chainId),
  }: Pick<DevnetChain, 'rpcUrl'> & Partial<Pick<DevnetChain, 'bundlerUrl' | 'entryPoint' | 'contracts'>>,
  paymaster: PaymasterConfig = { kind: 'own' },
): ActiveChain {
  return createActiveChains({
    chains: {
      base: {
        chainId,
        name: 'Base',
        relayMode: 'chain',
        confirmations: 0,
        rpcUrls: [rpcUrl],
        bundlerUrls: bundlerUrl ? [bundlerUrl] : [],
        explorerUrl: 'https://basescan.org',
        entryPoint,
        paymaster,
        contracts,
        usdc: chainFacts(chainId).usdc.address,
        fork: { opStack: true, bundlerAccounts: [] },
        deadlines: { rpcMs: deadlineMs, bundlerMs: deadlineMs },
      },
    },
  }).require('base');
}
