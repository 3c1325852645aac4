import type { ChainConfig } from '@yield-vault/chains';
import { canonical, chainFacts, localContracts } from '@yield-vault/contracts';

/** Describe a chain of the tests; nothing but its RPC is used here. */
export function buildChainConfig(rpcUrl: string, chainId: 1 | 8453 = 8453): ChainConfig {
  return {
    chainId,
    name: 'Local',
    relayMode: 'chain',
    confirmations: 0,
    rpcUrls: [rpcUrl],
    bundlerUrls: [],
    explorerUrl: 'https://explorer.example',
    entryPoint: canonical.entryPointV08,
    paymaster: { kind: 'own' },
    contracts: localContracts(chainId),
    usdc: chainFacts(chainId).usdc.address,
    fork: { opStack: false, bundlerAccounts: [] },
    deadlines: { rpcMs: 2_000, bundlerMs: 2_000 },
  };
}
