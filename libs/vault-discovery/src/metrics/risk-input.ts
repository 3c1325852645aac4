import type { RiskFactorExplanation } from '@yield-vault/protocol';
import { type PriceSource, priceSources, type Snapshot } from '../ports.js';
import { currencyOf, type Measurement, type PeggedEntry } from './measurement.js';
import {
  apyRatio,
  type RiskAssessment,
  type RiskFactor,
  type RiskInput,
  riskWeights,
  unknownPriors,
} from './risk.js';
import { daySeconds } from './statistics.js';

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
  { vault: { entry }, series, liquidity, tvlUsd, last }: Measurement,
  benchmarkApy: number | undefined,
  now: number,
): RiskInput {
  const { facts, firstSeen, flags } = entry;
  const { served, isNowExternal, jumps, lastAt = now } = series;
  return {
    admin: facts.admin,
    timelock: facts.timelockSeconds,
    audits: facts.audits,
    curator: facts.curator,
    strategy: facts.strategy,
    assetClass: facts.assetClass,
    oracle: facts.oracle,
    top1Share: facts.top1Share,
    liquidity: liquidity ?? facts.liquidity,
    isAsync: flags.includes('async'),
    ageDays: daysSince(firstSeen, now),
    tvlUsd: last && last.priceSource !== priceSources.unknown ? tvlUsd : undefined,
    maxDrawdown90d: series.maxDrawdown90d,
    volAnnual: series.volatility,
    apyNow: served.isUsable && !isNowExternal ? served.apy.now : undefined,
    benchmarkApy,
    loss30d: series.loss30d,
    depeg: depegOf(entry, last),
    hasJump7d: jumps.some(({ t }) => t >= lastAt - 7 * daySeconds),
    daysSinceIncident: daysSince(facts.lastIncident, now),
  };
}

/** Undefined without a date; a future date counts as today. */
function daysSince(date: string | undefined, now: number): number | undefined {
  const days = (now - Date.parse(date ?? '') / 1_000) / daySeconds;
  return Number.isNaN(days) ? undefined : Math.max(0, days);
}

/** Distance of a stated price from the dollar that the asset is pegged to. */
function depegOf(entry: PeggedEntry, last: Snapshot | undefined): number | undefined {
  const isStated = last && statedPrices.has(last.priceSource);
  return isStated && currencyOf(entry) === 'usd' ? Math.abs(last.priceUsd - 1) : undefined;
}

/** Explain the input of each factor and its contribution to the score. Shares and returns are fractions. */
export function explainFactors(input: RiskInput, { factors }: RiskAssessment): RiskFactorExplanation[] {
  const inputs = inputsOf(input);
  return (Object.keys(riskWeights) as RiskFactor[]).map((factor) => {
    const known = factors[factor];
    const value = known ?? unknownPriors[factor];
    return {
      factor,
      weight: riskWeights[factor],
      input: known === null ? null : (inputs[factor] ?? null),
      value,
      isKnown: known !== null,
      contribution: (riskWeights[factor] * value) / 100,
    };
  });
}

const inputsOf = (input: RiskInput): Readonly<Record<RiskFactor, string | number | undefined>> => ({
  admin: input.timelock ? `${input.admin}, timelock of ${input.timelock} s` : input.admin,
  audit: input.audits,
  curator: input.curator,
  complexity: input.strategy,
  age: input.ageDays,
  tvl: input.tvlUsd,
  concentration: input.top1Share,
  drawdown: input.maxDrawdown90d,
  volatility: input.volAnnual,
  apyAnomaly: apyRatio(input),
  liquidity: input.isAsync
    ? ['async', input.liquidity].filter((part) => part !== undefined).join(', ')
    : input.liquidity,
  asset: input.assetClass,
  oracle: input.oracle,
});
