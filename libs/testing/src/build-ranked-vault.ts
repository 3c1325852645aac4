import { vaultIdOf, type RankedVault } from '@yield-vault/protocol';

const chainId = 8453;
const vaultAddress = '0x3000000000000000000000000000000000000003';

/** Build a healthy USDC vault on Base; `vaultId` follows from chain and address unless given. */
export function buildRankedVault(overrides: Partial<RankedVault> = {}): RankedVault {
  return {
    vaultId: vaultIdOf(overrides.chainId ?? chainId, overrides.vaultAddress ?? vaultAddress),
    vaultAddress,
    chain: 'base',
    chainId,
    name: 'Steady USDC',
    protocol: 'Local',
    asset: { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
    shareDecimals: 18,
    apy: { now: 5, week: 5, month: 5 },
    risk: { score: 14.2, level: 'low', rating: 'A' },
    sharpe: { week: 1.9, month: 1.9 },
    tvlUsd: 25_000_000,
    tier: 'prime',
    compositeScores: { maximize_apy: 57.09, balanced: 68.37, minimize_risk: 83.2 },
    sharePrice: 1.0417,
    assetPriceUsd: 1,
    listed: true,
    exclusions: [],
    ...overrides,
  };
}
