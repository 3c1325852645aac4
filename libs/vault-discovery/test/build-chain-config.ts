import type { ChainConfig } from '@yield-vault/chains';
import { canonical, chainFacts, localContracts } from '@yield-vault/contracts';

/** Describe the Base of the tests; discovery uses its RPC alone. */
export function buildChainConfig(overrides: Partial<ChainConfig> = {}): ChainConfig {
  return {
    chainId: 8453,
    name: 'Base (local)',
    relayMode: 'chain',
    confirmations: 0,
    rpcUrls: ['http://127.0.0.1:1'],
    bundlerUrls: [],
    explorerUrl: 'https://explorer.example',
    entryPoint: canonical.entryPointV08,
    paymaster: { kind: 'own' },
    contracts: localContracts(8453),
    usdc: chainFacts(8453).usdc.address,
    fork: { opStack: false, bundlerAccounts: [] },
    deadlines: { rpcMs: 5_000, bundlerMs: 5_000 },
    ...overrides,
  };
}
