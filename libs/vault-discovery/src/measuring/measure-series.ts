import type { Apy } from '@yield-vault/protocol';
import { measureApy, apyWindows, measureApys, standIn, type ApyMeasurement } from '../metrics/apy.js';
import { cleanSeries } from '../metrics/clean-series.js';
import { maxDrawdown } from '../metrics/drawdown.js';
import { lastIndexAtOrBefore, type PriceSeries } from '../metrics/series.js';
import { dailyReturns, sharpeOf, sharpeWindows, volatilityOf } from '../metrics/sharpe.js';
import { daySeconds } from '../metrics/statistics.js';
import type { SeriesColumns } from '../ports.js';
import { chainSamplesOf } from './chain-samples-of.js';
import { findGaps } from './find-gaps.js';
import type { SeriesMeasurement } from './types.js';

const minDrawdownSeconds = 7 * daySeconds;

/**
 * Measure what the samples of one vault say. Only samples of the chain are evidence: external charts floor losses at
 * zero, so they stand in for the APY of a month that the chain cannot tell yet, and for nothing else.
 *
 * @param riskFreeRate - a year, as a fraction
 * @param now - Unix seconds
 */
export function measureSeries(columns: SeriesColumns, riskFreeRate: number, now: number): SeriesMeasurement {
  const samples = chainSamplesOf(columns);
  const { series, repaired, jumps, spikesRepaired } = cleanSeries(samples);
  const firstAt = samples.t[0];
  const lastAt = samples.t.at(-1);
  const end = lastAt ?? now;

  const ofChain = measureApys(series);
  const externalSamples = columns.t.length - samples.t.length;
  const isMonthExternal = externalSamples > 0 && samples.t.length > 0 && ofChain.month.value === null;
  const monthSeries = isMonthExternal ? cleanSeries(upTo(columns, end)).series : series;
  const measured = isMonthExternal
    ? { ...ofChain, month: measureApy(monthSeries, apyWindows.month) }
    : ofChain;
  const served = standIn(measured);

  const week = dailyReturns(series, sharpeWindows.week.days);
  const month = dailyReturns(series, sharpeWindows.month.days);
  return {
    samples: samples.t.length,
    externalSamples,
    firstAt,
    lastAt,
    gaps: findGaps(samples.t, now),
    measured,
    between: {
      now: endsOf(series, measured.now),
      week: endsOf(series, measured.week),
      month: endsOf(monthSeries, measured.month),
    },
    served,
    isNowExternal: isMonthExternal && served.servedBy.now === ('month' satisfies keyof Apy),
    jumps,
    spikesRepaired,
    riskFreeRate,
    sharpe: {
      week: sharpeOf(week, sharpeWindows.week, riskFreeRate),
      month: sharpeOf(month, sharpeWindows.month, riskFreeRate),
    },
    sharpeObservations: { week: week.length, month: month.length },
    maxDrawdown90d:
      firstAt !== undefined && end - firstAt >= minDrawdownSeconds
        ? maxDrawdown(repaired, end - 90 * daySeconds)
        : undefined,
    volatility: volatilityOf(month),
    loss30d: maxDrawdown(repaired, end - 30 * daySeconds),
  };
}

/** A chart may be ahead of the chain: what it says of later is left out. */
function upTo({ t, sharePrice, tvlUsd }: PriceSeries, end: number): PriceSeries {
  const length = lastIndexAtOrBefore(t, end) + 1;
  return {
    t: t.subarray(0, length),
    sharePrice: sharePrice.subarray(0, length),
    tvlUsd: tvlUsd.subarray(0, length),
  };
}

function endsOf({ t, sharePrice }: PriceSeries, measurement: ApyMeasurement) {
  if (measurement.value === null) return null;
  const at = (index: number) => ({ t: t[index]!, sharePrice: sharePrice[index]! });
  return { from: at(measurement.from), to: at(measurement.to) };
}
