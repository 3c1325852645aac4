import { isPrice } from '../metrics/series.js';
import { createPace, type Slicing } from '../pace.js';
import { priceSources, snapshotOrigins, type Snapshot, type StoredReport } from '../ports.js';
import { benchmarkApys, groupOf } from './benchmark-apys.js';
import { dataExclusions } from './exclusions-of.js';
import { measureSeries } from './measure-series.js';
import { riskFreeRate } from './risk-free-rate.js';
import { tvlUsdOf } from './snapshot-values.js';
import { toReport } from './to-report.js';
import type { MeasureInput, MeasureOptions, Measurement } from './types.js';

/**
 * Measure the vaults of a chain, all of them at once: they are each other's benchmark. What comes out does not depend
 * on their order, nor on the pauses.
 *
 * @param slicing - how to let requests through
 */
export async function measureVaults(
  inputs: readonly MeasureInput[],
  options: MeasureOptions,
  slicing: Slicing = {},
): Promise<StoredReport[]> {
  const pace = createPace(slicing);
  const measurements: Measurement[] = [];
  for (const input of inputs) {
    measurements.push(measureVault(input, options));
    if (pace.isDue()) await pace.pause();
  }
  const benchmarks = benchmarkApys(measurements);
  const reports: StoredReport[] = [];
  for (const measurement of measurements) {
    const benchmarkApy = benchmarks.get(groupOf(measurement.vault));
    reports.push(toReport(measurement, benchmarkApy, options));
    if (pace.isDue()) await pace.pause();
  }
  return reports;
}

function measureVault({ series: columns, ...input }: MeasureInput, options: MeasureOptions): Measurement {
  const { entry } = input.vault;
  const last = input.last?.origin === snapshotOrigins.chain ? withPrice(input.last) : undefined;
  const series = measureSeries(columns, riskFreeRate(entry), options.now);
  const tvlUsd = last ? tvlUsdOf(entry, last) : 0;
  const measurement = { ...input, last, series, tvlUsd };
  return { ...measurement, dataExclusions: dataExclusions(measurement, options) };
}

/** A price that is no number is none. */
const withPrice = (snapshot: Snapshot): Snapshot =>
  isPrice(snapshot.priceUsd) ? snapshot : { ...snapshot, priceUsd: 0, priceSource: priceSources.unknown };
