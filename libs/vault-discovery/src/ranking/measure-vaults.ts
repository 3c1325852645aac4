import { strategies, type ListedVault, type Strategy } from '@yield-vault/protocol';
import type { TrackedVault } from '../chain/sample-block.js';
import { serveApy, type ServedApy } from '../metrics/apy.js';
import { cleanSeries, type CleanedSeries } from '../metrics/clean-series.js';
import { compositeScore } from '../metrics/composite.js';
import { maxDrawdown } from '../metrics/drawdown.js';
import { assessRisk } from '../metrics/risk.js';
import { measureSharpe, measureVolatility, sharpeWindows } from '../metrics/sharpe.js';
import { daySeconds, round } from '../metrics/statistics.js';
import { priceSources, type Snapshot } from '../ports.js';
import { benchmarkApys, groupOf } from './benchmark-apys.js';
import { exclusionsOf } from './exclusions-of.js';
import { riskFreeRate } from './risk-free-rate.js';
import { toPriceSeries, tvlUsdOf } from './to-price-series.js';

/** What is known of a vault when it is ranked. */
export interface VaultRecord {
  readonly vault: TrackedVault;
  /** Oldest first; may be empty. */
  readonly snapshots: readonly Snapshot[];
  /** Why it takes no deposits now. */
  readonly obstacle: string | undefined;
}

/** The parts of a measurement that need no other vault. */
export interface Measurement extends VaultRecord {
  readonly last: Snapshot | undefined;
  readonly cleaned: CleanedSeries;
  readonly served: ServedApy;
  readonly tvlUsd: number;
}

export interface MeasureOptions {
  readonly minTvlUsd: number;
  /** Unix seconds. */
  readonly now: number;
}

const apyDecimals = 4;
const minDrawdownSeconds = 7 * daySeconds;
const peggedClasses = new Set(['fiat_stable', 'cdp_stable', 'synthetic_stable']);

/** Measure every vault of a chain, and decide which are listed. */
export function measureVaults(records: readonly VaultRecord[], options: MeasureOptions): ListedVault[] {
  const measurements = records.map(measure);
  const benchmarks = benchmarkApys(measurements);
  return measurements.map((measurement) =>
    toListedVault(measurement, benchmarks.get(groupOf(measurement.vault)), options),
  );
}

function measure(record: VaultRecord): Measurement {
  const cleaned = cleanSeries(toPriceSeries(record.vault, record.snapshots));
  const last = record.snapshots.at(-1);
  const tvlUsd = last ? tvlUsdOf(record.vault, last) : 0;
  return { ...record, last, cleaned, served: serveApy(cleaned.series), tvlUsd };
}

function toListedVault(
  measurement: Measurement,
  benchmarkApy: number | undefined,
  options: MeasureOptions,
): ListedVault {
  const { vault, cleaned, served, tvlUsd, last, snapshots } = measurement;
  const { entry } = vault;
  const { tier, score, level, rating } = assessRisk(riskInputOf(measurement, benchmarkApy, options.now));
  const rate = riskFreeRate(entry.facts.assetClass);
  const sharpe = {
    week: measureSharpe(cleaned.series, sharpeWindows.week, rate),
    month: measureSharpe(cleaned.series, sharpeWindows.month, rate),
  };
  const historyDays = last && snapshots[0] ? (last.t - snapshots[0].t) / daySeconds : 0;
  const scored = { apy: served.apy, riskScore: score, sharpe, tvlUsd, historyDays };
  const exclusions = exclusionsOf(measurement, options);
  const rounded = (value: number) => round(value, apyDecimals);
  return {
    vaultId: vault.vaultId,
    vaultAddress: entry.address,
    chain: entry.chain,
    chainId: entry.chainId,
    name: entry.name,
    protocol: entry.protocol,
    asset: entry.asset,
    shareDecimals: vault.shareDecimals,
    apy: {
      now: rounded(served.apy.now),
      week: rounded(served.apy.week),
      month: rounded(served.apy.month),
    },
    risk: { score, level, rating },
    sharpe: { week: rounded(sharpe.week), month: rounded(sharpe.month) },
    tvlUsd: round(tvlUsd, 2),
    tier,
    compositeScores: Object.fromEntries(
      strategies.map((strategy) => [strategy, compositeScore(scored, strategy)]),
    ) as Record<Strategy, number>,
    assetPriceUsd: last?.priceUsd ?? 0,
    listed: exclusions.length === 0,
    exclusions,
  };
}

function riskInputOf(
  { vault: { entry }, cleaned, served, tvlUsd, last }: Measurement,
  benchmarkApy: number | undefined,
  now: number,
) {
  const { facts, firstSeen } = entry;
  const t = last?.t ?? now;
  const first = cleaned.repaired[0]?.t ?? t;
  const isPegged = peggedClasses.has(facts.assetClass ?? '') && last?.priceSource === priceSources.feed;
  return {
    admin: facts.admin,
    timelock: facts.timelockSeconds,
    audits: facts.audits,
    curator: facts.curator,
    strategy: facts.strategy,
    assetClass: facts.assetClass,
    oracle: facts.oracle,
    top1Share: facts.top1Share,
    liquidity: facts.liquidity,
    isAsync: entry.flags.includes('async'),
    ageDays: firstSeen ? Math.max(0, (now - Date.parse(firstSeen) / 1_000) / daySeconds) : undefined,
    tvlUsd: last ? tvlUsd : undefined,
    maxDrawdown90d:
      t - first >= minDrawdownSeconds ? maxDrawdown(cleaned.repaired, t - 90 * daySeconds) : undefined,
    volAnnual: measureVolatility(cleaned.series),
    apyNow: served.isUsable ? served.apy.now : undefined,
    benchmarkApy,
    loss30d: maxDrawdown(cleaned.repaired, t - 30 * daySeconds),
    depeg: isPegged ? Math.abs(last.priceUsd - 1) : undefined,
    hasJump7d: cleaned.jumps.some((jump) => jump.t >= t - 7 * daySeconds),
  };
}
