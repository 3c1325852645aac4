import type { Apy, Sharpe } from '@yield-vault/protocol';
import {
  type ApyMeasurement,
  type ApyMeasurements,
  apyWindows,
  measureApy,
  measureApys,
  serveApy,
  type ServedApy,
} from './apy.js';
import { cleanSeries, type Jump } from './clean-series.js';
import {
  lastIndexAtOrBefore,
  maxDrawdown,
  type PriceSeries,
  type SeriesColumns,
  snapshotOrigins,
} from './series.js';
import { dailyReturns, measureSharpe, measureVolatility, sharpeWindows } from './sharpe.js';
import { daySeconds, hourSeconds } from './statistics.js';

/** A period without a sample; Unix seconds. */
export interface Gap {
  readonly from: number;
  readonly until: number;
}

/** A cleaned share price at a time. */
export interface TimedPrice {
  /** Unix seconds. */
  readonly t: number;
  readonly sharePrice: number;
}

/** The measurements of one vault's samples, without any other vault. */
export interface SeriesMeasurement {
  /** Samples of the chain. */
  readonly samples: number;
  readonly externalSamples: number;
  /** Times of the first and last sample of the chain, Unix seconds. */
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Newest first. */
  readonly gaps: readonly Gap[];
  readonly measured: ApyMeasurements;
  /** The samples that each APY was measured between. */
  readonly between: Readonly<
    Record<keyof Apy, { readonly from: TimedPrice; readonly to: TimedPrice } | null>
  >;
  readonly served: ServedApy;
  /** `apy.now` comes from an external chart. */
  readonly isNowExternal: boolean;
  readonly jumps: readonly Jump[];
  readonly spikesRepaired: number;
  /** A year, as a fraction. */
  readonly riskFreeRate: number;
  readonly sharpe: Sharpe;
  readonly sharpeObservations: { readonly week: number; readonly month: number };
  /** Fractions; undefined when the history is too short. */
  readonly maxDrawdown90d: number | undefined;
  readonly volatility: number | undefined;
  /** Fraction. */
  readonly loss30d: number;
}

const minDrawdownSeconds = 7 * daySeconds;

/**
 * Measure the samples of one vault. Only samples of the chain are evidence: external charts store a loss as 0, so they
 * only replace the APY of a month while the chain's history is too short.
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
  const served = serveApy(measured);

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
      week: measureSharpe(week, sharpeWindows.week, riskFreeRate),
      month: measureSharpe(month, sharpeWindows.month, riskFreeRate),
    },
    sharpeObservations: { week: week.length, month: month.length },
    maxDrawdown90d:
      firstAt !== undefined && end - firstAt >= minDrawdownSeconds
        ? maxDrawdown(repaired, end - 90 * daySeconds)
        : undefined,
    volatility: measureVolatility(month),
    loss30d: maxDrawdown(repaired, end - 30 * daySeconds),
  };
}

/** A chart may be ahead of the chain: its later points are left out. */
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

/** Leave out the samples of external charts; returns the given columns where there are none. */
function chainSamplesOf(columns: SeriesColumns): PriceSeries {
  const { t, sharePrice, tvlUsd, origin } = columns;
  if (!origin.includes(snapshotOrigins.externalChart)) return columns;
  const isOfChain = (_: number, index: number) => origin[index] === snapshotOrigins.chain;
  return {
    t: t.filter(isOfChain),
    sharePrice: sharePrice.filter(isOfChain),
    tvlUsd: tvlUsd.filter(isOfChain),
  };
}

// A sampler that just started has no sample of the last full hour until the chain is final, which takes up to half an hour more.
const longestPause = 2.5 * hourSeconds;
const lookBack = 31 * daySeconds;
const mostGaps = 20;

/**
 * Find the periods without a sample that reach into the last 31 days, including one that still lasts.
 *
 * @param times - of samples, ascending
 * @param now - Unix seconds
 * @returns newest first, at most 20
 */
export function findGaps(times: Float64Array, now: number): Gap[] {
  const gaps: Gap[] = [];
  let until = now;
  for (let index = times.length - 1; index >= 0 && until > now - lookBack; index--) {
    const from = times[index]!;
    if (until - from > longestPause && gaps.push({ from, until }) === mostGaps) break;
    until = from;
  }
  return gaps;
}
