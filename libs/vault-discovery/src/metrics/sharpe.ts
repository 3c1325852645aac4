import { clamp, daySeconds, hourSeconds, mean, sampleDeviation } from './statistics.js';
import { lastIndexAtOrBefore, type PriceSeries } from './series.js';

const stalenessSeconds = 6 * hourSeconds;
const daysPerYear = 365;
/** Without a floor a calm vault has no deviation and any Sharpe ratio. */
const deviationFloor = 0.005 / Math.sqrt(daysPerYear);
const sharpeCap = 10;

/** Days looked back on and returns needed. */
export const sharpeWindows = {
  week: { days: 7, minObservations: 5 },
  month: { days: 30, minObservations: 14 },
} as const;

export type SharpeWindow = (typeof sharpeWindows)[keyof typeof sharpeWindows];

/** Simple returns between samples 24 h apart, counted back from the last one; days without a sample are left out. */
export function dailyReturns(series: PriceSeries, days: number): number[] {
  const last = series.at(-1);
  if (!last) return [];
  const prices = Array.from({ length: days + 1 }, (_, index) => {
    const target = last.t - index * daySeconds;
    const sample = series[lastIndexAtOrBefore(series, target)];
    return sample && target - sample.t <= stalenessSeconds && sample.sharePrice > 0
      ? sample.sharePrice
      : undefined;
  });
  return prices.slice(0, days).flatMap((price, index) => {
    const earlier = prices[index + 1];
    return price === undefined || earlier === undefined ? [] : [price / earlier - 1];
  });
}

/**
 * Measure the annualised Sharpe ratio of daily returns. Lending accrual is autocorrelated, so √365 overstates it.
 *
 * @param riskFreeRate - a year, as a fraction
 * @returns −10 to 10; 0 with too few observations
 */
export function measureSharpe(series: PriceSeries, window: SharpeWindow, riskFreeRate: number): number {
  const returns = dailyReturns(series, window.days);
  if (returns.length < window.minObservations) return 0;
  const riskFreeDaily = (1 + riskFreeRate) ** (1 / daysPerYear) - 1;
  const deviation = Math.max(sampleDeviation(returns), deviationFloor);
  return clamp(((mean(returns) - riskFreeDaily) / deviation) * Math.sqrt(daysPerYear), -sharpeCap, sharpeCap);
}

/** Annualised volatility of the daily returns of 30 days, as a fraction; undefined with too few of them. */
export function measureVolatility(series: PriceSeries): number | undefined {
  const returns = dailyReturns(series, sharpeWindows.month.days);
  if (returns.length < sharpeWindows.month.minObservations) return undefined;
  return sampleDeviation(returns) * Math.sqrt(daysPerYear);
}
