import {
  type Apy,
  type ApyExplanation,
  type Governance,
  type PriceSample,
  strategies,
  type Strategy,
  type VaultCapability,
  type VaultReport,
  type VaultSummary,
} from '@yield-vault/protocol';
import { type Capability, type PriceSource, priceSources, type StoredReport } from '../ports.js';
import {
  assessRisk,
  type CompositeInput,
  compositeScore,
  daySeconds,
  explainFactors,
  round,
  type TimedPrice,
} from '@yield-vault/vault-metrics';
import { isoTime, type Measurement, type MeasureOptions, sharePriceOf } from './measurement.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { capabilityExclusions } from './exclusions.js';
import { riskInputOf } from './risk-input.js';
import { exitExclusions, exitReport } from './vault-exit.js';

const apyDecimals = 4;

/**
 * Compute the numbers of a measured vault with their explanation. Served numbers are rounded, except the scores, which
 * are compared first. The explanation is not rounded, so that a reader gets the same sums.
 *
 * @param benchmarkApy - percent; undefined without any
 */
export function toReport(
  measurement: Measurement,
  benchmarkApy: number | undefined,
  options: MeasureOptions,
): StoredReport {
  const { vault, last, series, tvlUsd, capability } = measurement;
  const { entry } = vault;
  const { apy } = series.served;
  const riskInput = riskInputOf(measurement, benchmarkApy, options.now);
  const assessment = assessRisk(riskInput);
  const { score, level, rating, tier } = assessment;
  const exit = exitReport(measurement, options.now);
  const { instantUsd, p10Usd, method, checkedAt } = exit;
  const historyDays = ((series.lastAt ?? 0) - (series.firstAt ?? 0)) / daySeconds;
  const compositeInput: CompositeInput = {
    apy,
    riskScore: score,
    sharpe: series.sharpe,
    tvlUsd,
    historyDays,
    exitMethod: method,
    accrues: exit.accrues ?? false,
  };
  const composite = byStrategy((strategy) => compositeScore(compositeInput, strategy));
  const exclusions = [
    ...measurement.dataExclusions,
    ...capabilityExclusions(measurement, options),
    ...exitExclusions(measurement, options.now),
  ];
  const summary: VaultSummary = {
    vaultId: vault.vaultId,
    vaultAddress: entry.address,
    name: entry.name,
    protocol: entry.protocol,
    asset: entry.asset,
    chain: entry.chain,
    chainId: entry.chainId,
    shareDecimals: vault.shareDecimals,
    apy: {
      now: round(apy.now, apyDecimals),
      week: round(apy.week, apyDecimals),
      month: round(apy.month, apyDecimals),
    },
    risk: { score, level, rating },
    sharpe: { week: round(series.sharpe.week, apyDecimals), month: round(series.sharpe.month, apyDecimals) },
    tvlUsd: round(tvlUsd, 2),
    sharePrice: last === undefined ? 0 : sharePriceOf(entry, last),
    tier,
    compositeScores: byStrategy((strategy) => composite[strategy].score),
    listed: exclusions.length === 0,
    exclusions,
    flags: entry.flags,
    exit: { instantUsd, p10Usd, method, checkedAt },
    fees: {
      performancePercent: null,
      managementPercent: null,
      exitBps: measurement.exit?.newest.exitBps ?? null,
    },
    rewards: [],
    coverage: assessment.coverage,
    governance: governanceOf(entry),
    markets: [],
  };
  const report: VaultReport = {
    ...summary,
    exit,
    sources: entry.sources,
    data: dataOf(measurement, options.now),
    explanation: {
      apy: {
        now: explainApy('now', series),
        week: explainApy('week', series),
        month: explainApy('month', series),
      },
      jumps: series.jumps.map(({ t, logReturn }) => ({
        timestamp: isoTime(t),
        changePercent: Math.min(Math.expm1(logReturn) * 100, Number.MAX_VALUE),
      })),
      spikesRepaired: series.spikesRepaired,
      sharpe: {
        riskFreeRate: series.riskFreeRate * 100,
        weekObservations: series.sharpeObservations.week,
        monthObservations: series.sharpeObservations.month,
      },
      maxDrawdown90d: percentOf(series.maxDrawdown90d),
      volatility: percentOf(series.volatility),
      stability: composite.balanced.features.stability,
      tvl: {
        totalAssets: String(last?.totalAssets ?? 0n),
        priceUsd: last?.priceUsd ?? 0,
        priceSource: priceSourceNames[last?.priceSource ?? priceSources.unknown],
        usd: tvlUsd,
      },
      benchmarkApy: benchmarkApy ?? null,
      risk: {
        base: assessment.base,
        coverage: assessment.coverage,
        factors: explainFactors(riskInput, assessment),
        floors: assessment.floors.map(({ reason, min }) => ({ reason, atLeast: min })),
      },
      composite,
    },
    capability: capability ? toVaultCapability(capability) : null,
  };
  return {
    vault: vault.id,
    summary,
    assetPriceUsd: last?.priceUsd ?? 0,
    gas: { deposit: capability?.depositGas ?? 0, redeem: capability?.redeemGas ?? 0 },
    report,
  };
}

/** The reviewed facts of the registry. */
function governanceOf({ facts, reviewed }: RegistryEntry): Governance {
  return {
    source: 'registry',
    checkedAt: reviewed ? isoTime(Date.parse(reviewed) / 1_000) : null,
    admin: facts.admin ?? null,
    timelockSeconds: facts.timelockSeconds ?? null,
    owner: null,
    curator: null,
    guardian: null,
    safeThreshold: null,
    safeOwners: null,
    pendingChanges: [],
  };
}

function dataOf({ series, last }: Measurement, now: number): VaultReport['data'] {
  const { firstAt, lastAt } = series;
  return {
    firstSnapshotAt: firstAt === undefined ? null : isoTime(firstAt),
    latestSnapshotAt: lastAt === undefined ? null : isoTime(lastAt),
    ageSeconds: lastAt === undefined ? null : Math.max(0, Math.floor(now - lastAt)),
    blockNumber: last ? Number(last.block) : null,
    snapshots: series.samples,
    externalSnapshots: series.externalSamples,
    gaps: series.gaps.map(({ from, until }) => ({ from: isoTime(from), until: isoTime(until) })),
    computedAt: isoTime(now),
  };
}

function explainApy(name: keyof Apy, { measured, served, between }: Measurement['series']): ApyExplanation {
  const measurement = measured[name];
  const ends = between[name];
  return {
    value: measurement.value,
    quality: measurement.value === null ? null : measurement.quality,
    servedBy: served.servedBy[name],
    from: ends && toPriceSample(ends.from),
    to: ends && toPriceSample(ends.to),
  };
}

const toVaultCapability = (capability: Capability): VaultCapability => ({
  verdict: capability.result,
  checkedAt: isoTime(capability.checkedAt),
  blockNumber: Number(capability.block),
  failedStep: capability.failedStep,
  reason: capability.reason,
  assetsIn: String(capability.assetsIn),
  sharesOut: String(capability.sharesOut),
  assetsOut: String(capability.assetsOut),
});

const toPriceSample = ({ t, sharePrice }: TimedPrice): PriceSample => ({ timestamp: isoTime(t), sharePrice });

const priceSourceNames = Object.fromEntries(
  Object.entries(priceSources).map(([name, source]) => [source, name]),
) as Record<PriceSource, keyof typeof priceSources>;

const byStrategy = <T>(valueOf: (strategy: Strategy) => T) =>
  Object.fromEntries(strategies.map((strategy) => [strategy, valueOf(strategy)])) as Record<Strategy, T>;

const percentOf = (fraction: number | undefined): number | null =>
  fraction === undefined ? null : fraction * 100;
