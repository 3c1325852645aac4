import type { ApyExplanation, CompositeExplanation, VaultSummary } from '@yield-vault/protocol';
import type { Capability, StoredReport } from '../src/ports.js';
import { buildSummaryRow } from './build-summary.js';

export function buildCapability(overrides: Partial<Capability> = {}): Capability {
  return {
    vault: 1,
    result: 'ok',
    checkedAt: 1_790_000_000,
    block: 30_000_000n,
    failedStep: null,
    reason: null,
    assetsIn: 1_000_000n,
    sharesOut: 10n ** 18n,
    assetsOut: 999_999n,
    depositGas: 120_000,
    redeemGas: 90_000,
    ...overrides,
  };
}

/** Numbers of a vault as they are stored. */
export function buildStoredReport(
  overrides: { readonly vault?: number; readonly summary?: Partial<VaultSummary> } = {},
): StoredReport {
  const { vault, summary, assetPriceUsd, gas } = buildSummaryRow(overrides.vault ?? 1, overrides.summary);
  const apy: ApyExplanation = { value: 5, quality: 'full', servedBy: 'now', from: null, to: null };
  const composite: CompositeExplanation = {
    features: { yield: 46, safety: 94, sharpe: 60, tvl: 60, stability: 98 },
    weights: { yield: 0.35, safety: 0.3, sharpe: 0.15, tvl: 0.1, stability: 0.1 },
    quality: 1,
    score: 68.37,
  };
  return {
    vault,
    summary,
    assetPriceUsd,
    gas,
    report: {
      ...summary,
      exit: { ...summary.exit, instantPercent: null, accrues: null, curve: [], days: [] },
      sources: ['registry'],
      data: {
        firstSnapshotAt: '2026-08-21T10:00:00.000Z',
        latestSnapshotAt: '2026-11-21T10:00:00.000Z',
        ageSeconds: null,
        blockNumber: 30_000_000,
        snapshots: 2_208,
        externalSnapshots: 0,
        gaps: [],
        computedAt: '2026-11-21T10:00:01.000Z',
      },
      explanation: {
        apy: { now: apy, week: apy, month: apy },
        jumps: [],
        spikesRepaired: 0,
        sharpe: { riskFreeRate: 4, weekObservations: 7, monthObservations: 30 },
        maxDrawdown90d: 0,
        volatility: 0.1,
        stability: 98,
        tvl: { totalAssets: '25000000123456', priceUsd: 1, priceSource: 'feed', usd: 25_000_000.123456 },
        benchmarkApy: 4.5,
        risk: {
          base: 6.02,
          coverage: 100,
          factors: Array.from({ length: 13 }, (_, index) => ({
            factor: `factor ${index}`,
            weight: 8,
            input: null,
            value: 50,
            isKnown: false,
            contribution: 4,
          })),
          floors: [],
        },
        composite: { maximize_apy: composite, balanced: composite, minimize_risk: composite },
      },
      capability: null,
    },
  };
}
