import type { RegistryEntry } from '../src/catalogue/parse-registry.js';

/** Build a harmless USDC vault of Base. */
export function buildRegistryEntry(overrides: Partial<RegistryEntry> = {}): RegistryEntry {
  return {
    chainId: 8453,
    chain: 'base',
    address: '0x3000000000000000000000000000000000000003',
    name: 'Steady USDC',
    protocol: 'Local',
    asset: { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
    firstSeen: '2023-08-09',
    facts: {
      admin: 'immutable',
      timelockSeconds: 0,
      audits: 6,
      curator: 'none_needed',
      strategy: 'lending',
      assetClass: 'fiat_stable',
      oracle: 'chainlink',
      top1Share: 0.14,
    },
    flags: [],
    sources: ['test'],
    ...overrides,
  };
}
