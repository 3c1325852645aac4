import { isPrice, lastIndexAtOrBefore, type PriceSeries } from './series.js';
import { clamp, daySeconds, hourSeconds, mean, sampleDeviation } from './statistics.js';

const stalenessSeconds = 6 * hourSeconds;
const daysPerYear = 365;
/** Without a floor the ratio of a calm vault would grow without bound. */
const deviationFloor = 0.005 / Math.sqrt(daysPerYear);
const sharpeCap = 10;
/** A hundred million percent: keeps the number finite. */
const volatilityCap = 1e6;

/** Days looked back on and returns needed. */
export const sharpeWindows = {
  week: { days: 7, minObservations: 5 },
  month: { days: 30, minObservations: 14 },
} as const;

export type SharpeWindow = (typeof sharpeWindows)[keyof typeof sharpeWindows];

/** Simple returns between samples 24 h apart, counted back from the last one; days without a sample are left out. */
export function dailyReturns({ t, sharePrice }: PriceSeries, days: number): number[] {
  const last = t.at(-1);
  if (last === undefined) return [];
  const returns: number[] = [];
  let later: number | undefined;
  for (let day = 0; day <= days; day++) {
    const target = last - day * daySeconds;
    const index = lastIndexAtOrBefore(t, target);
    const isFresh = index >= 0 && target - t[index]! <= stalenessSeconds;
    const price = isFresh ? sharePrice[index]! : undefined;
    if (later !== undefined && isPrice(price)) returns.push(Math.min(later / price - 1, Number.MAX_VALUE));
    later = isPrice(price) || price === 0 ? price : undefined;
  }
  return returns;
}

/**
 * Annualise the Sharpe ratio of daily returns. Lending accrual is autocorrelated, so √365 overstates it.
 *
 * @param riskFreeRate - a year, as a fraction
 * @returns −10 to 10; 0 with too few observations
 */
export function measureSharpe(
  returns: readonly number[],
  window: SharpeWindow,
  riskFreeRate: number,
): number {
  if (returns.length < window.minObservations) return 0;
  const riskFreeDaily = (1 + riskFreeRate) ** (1 / daysPerYear) - 1;
  const deviation = Math.max(sampleDeviation(returns), deviationFloor);
  const ratio = ((mean(returns) - riskFreeDaily) / deviation) * Math.sqrt(daysPerYear);
  return Number.isNaN(ratio) ? 0 : clamp(ratio, -sharpeCap, sharpeCap);
}

/** Annualise the volatility of the daily returns of a month, as a fraction; undefined with too few of them. */
export function measureVolatility(returns: readonly number[]): number | undefined {
  if (returns.length < sharpeWindows.month.minObservations) return undefined;
  const volatility = sampleDeviation(returns) * Math.sqrt(daysPerYear);
  return volatility <= volatilityCap ? volatility : volatilityCap;
}
