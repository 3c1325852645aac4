import { canonical, chainFacts, localContracts } from '@yield-vault/contracts';
import type { ChainConfig } from '../src/index.js';

/** Build a chain that is served by the given node. */
export function buildChainConfig(overrides: Partial<ChainConfig> = {}): ChainConfig {
  return {
    chainId: 8453,
    name: 'Base',
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
    deadlines: { rpcMs: 2_000, bundlerMs: 2_000 },
    ...overrides,
  };
}
