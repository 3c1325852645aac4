import { type PriceSource, priceSources, type Snapshot } from '../ports.js';
import { currencyOf, type PeggedEntry } from '../catalogue/currency-of.js';
import type { Measurement } from './measurement.js';
import { exitInput } from './vault-exit.js';
import { daySeconds, type RiskInput } from '@yield-vault/vault-metrics';

/** An outage must not hide a lost peg, so the last good price counts; the pricer gives it for six hours. */
const statedPrices: ReadonlySet<PriceSource> = new Set([
  priceSources.feed,
  priceSources.external,
  priceSources.lastGood,
]);

/**
 * Collect the inputs of the risk of a vault.
 *
 * @param benchmarkApy - percent; undefined without any
 * @param now - Unix seconds
 */
export function riskInputOf(
  measurement: Measurement,
  benchmarkApy: number | undefined,
  now: number,
): RiskInput {
  const {
    vault: { entry },
    series,
    tvlUsd,
    last,
  } = measurement;
  const { facts, firstSeen, flags } = entry;
  const { served, isNowExternal, jumps, lastAt } = series;
  return {
    admin: facts.admin,
    timelock: facts.timelockSeconds,
    audits: facts.audits,
    curator: facts.curator,
    strategy: facts.strategy,
    assetClass: facts.assetClass,
    oracle: facts.oracle,
    top1Share: facts.top1Share,
    ...exitInput(measurement, now),
    isAsync: flags.includes('async'),
    ageDays: daysSince(firstSeen, now),
    tvlUsd: last && last.priceSource !== priceSources.unknown ? tvlUsd : undefined,
    maxDrawdown90d: series.maxDrawdown90d,
    volAnnual: series.volatility,
    apyNow: served.isUsable && !isNowExternal ? served.apy.now : undefined,
    benchmarkApy,
    loss30d: lastAt === undefined ? undefined : series.loss30d,
    depeg: depegOf(entry, last),
    hasJump7d: lastAt === undefined ? undefined : jumps.some(({ t }) => t >= lastAt - 7 * daySeconds),
    daysSinceIncident: daysSince(facts.lastIncident, now),
  };
}

/** Undefined without a date; a future date counts as today. */
function daysSince(date: string | undefined, now: number): number | undefined {
  const days = (now - Date.parse(date ?? '') / 1_000) / daySeconds;
  return Number.isNaN(days) ? undefined : Math.max(0, days);
}

/** Distance of a stated price from the dollar that the asset is pegged to; 0 for an asset that is not. */
function depegOf(entry: PeggedEntry, last: Snapshot | undefined): number | undefined {
  if (entry.facts.assetClass === undefined) return undefined;
  if (currencyOf(entry) !== 'usd') return 0;
  return last && statedPrices.has(last.priceSource) ? Math.abs(last.priceUsd - 1) : undefined;
}
