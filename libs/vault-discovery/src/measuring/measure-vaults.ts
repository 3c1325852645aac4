import { isPrice } from '../metrics/series.js';
import { priceSources, snapshotOrigins, type Snapshot, type StoredReport } from '../ports.js';
import { benchmarkApys, groupOf } from './benchmark-apys.js';
import { dataExclusions } from './exclusions-of.js';
import { measureSeries } from './measure-series.js';
import { riskFreeRate } from './risk-free-rate.js';
import { tvlUsdOf } from './snapshot-values.js';
import { toReport } from './to-report.js';
import type { MeasureInput, MeasureOptions, Measurement, Slicing } from './types.js';

/**
 * Measure the vaults of a chain, all of them at once: they are each other's benchmark. What comes out does not depend
 * on their order, nor on the pauses.
 *
 * @param slicing - how to let requests through; `pause` is awaited whenever a slice of CPU time is used up
 */
export async function measureVaults(
  inputs: readonly MeasureInput[],
  options: MeasureOptions,
  { pause, sliceMs = 4 }: Slicing,
): Promise<StoredReport[]> {
  const slices = createSlices(pause, sliceMs);
  const measurements: Measurement[] = [];
  for (const input of inputs) {
    measurements.push(measureVault(input, options));
    if (slices.isUsedUp()) await slices.next();
  }
  const benchmarks = benchmarkApys(measurements);
  const reports: StoredReport[] = [];
  for (const measurement of measurements) {
    const benchmarkApy = benchmarks.get(groupOf(measurement.vault));
    reports.push(toReport(measurement, benchmarkApy, options));
    if (slices.isUsedUp()) await slices.next();
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

/** By the clock, which also counts what others took: a slice is never longer than that. */
function createSlices(pause: () => Promise<void>, sliceMs: number) {
  let since = performance.now();
  return {
    isUsedUp: () => performance.now() - since >= sliceMs,
    next: async () => {
      await pause();
      since = performance.now();
    },
  };
}
