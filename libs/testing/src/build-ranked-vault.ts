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
    exit: {
      instantUsd: 9_500_000,
      p10Usd: 9_000_000,
      method: 'simulated',
      checkedAt: '2026-11-21T10:00:00.000Z',
    },
    fees: { performancePercent: 10, managementPercent: 0, exitBps: 0 },
    rewards: [],
    coverage: 100,
    governance: {
      source: 'chain',
      checkedAt: '2026-11-21T10:00:00.000Z',
      admin: 'multisig',
      timelockSeconds: 259_200,
      owner: null,
      curator: null,
      guardian: null,
      safeThreshold: 3,
      safeOwners: 5,
      pendingChanges: [],
    },
    markets: [],
    gas: { deposit: 110_000, redeem: 120_000 },
    ...overrides,
  };
}
