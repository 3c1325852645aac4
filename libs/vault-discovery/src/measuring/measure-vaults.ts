import { inChunks } from '../batching.js';
import { priceSources, type Snapshot, type StoredReport } from '../ports.js';
import { measureSeries, snapshotOrigins } from '@yield-vault/vault-metrics';
import { dataExclusions } from './exclusions.js';
import {
  benchmarkGroupOf,
  compareVaultIds,
  type MeasureInput,
  type Measurement,
  type MeasureOptions,
  riskFreeRate,
  tvlUsdOf,
} from './measurement.js';
import { toReport } from './to-report.js';

/** Takes a few milliseconds; requests are served between two chunks. */
const vaultsAtOnce = 20;
const benchmarkVaults = 5;
const minBenchmarkTvlUsd = 1_000_000;

/**
 * Measure the vaults of a chain, all of them at once: they are each other's benchmark. The result does not depend on
 * their order.
 */
export async function measureVaults(
  inputs: readonly MeasureInput[],
  options: MeasureOptions,
): Promise<StoredReport[]> {
  const measurements: Measurement[] = [];
  for await (const part of inChunks(inputs, vaultsAtOnce))
    measurements.push(...part.map((input) => measureVault(input, options)));
  const benchmarks = benchmarkApys(measurements);
  const reports: StoredReport[] = [];
  for await (const part of inChunks(measurements, vaultsAtOnce))
    reports.push(
      ...part.map((each) => toReport(each, benchmarks.get(benchmarkGroupOf(each.vault.entry)), options)),
    );
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

const withPrice = (snapshot: Snapshot): Snapshot =>
  snapshot.priceUsd > 0 && snapshot.priceUsd < Infinity
    ? snapshot
    : { ...snapshot, priceUsd: 0, priceSource: priceSources.unknown };

/**
 * Current APY of the five largest vaults of each group, in percent, weighted by TVL. Vaults with bad data are left out:
 * nonsense is often the largest number of all.
 */
function benchmarkApys(measurements: readonly Measurement[]): Map<string, number> {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measurements) {
    if (measurement.dataExclusions.length > 0 || measurement.tvlUsd < minBenchmarkTvlUsd) continue;
    const group = benchmarkGroupOf(measurement.vault.entry);
    const members = groups.get(group);
    if (members) members.push(measurement);
    else groups.set(group, [measurement]);
  }
  return new Map([...groups].map(([group, members]) => [group, weightedApy(members)]));
}

function weightedApy(members: Measurement[]): number {
  const largest = members
    .sort((a, b) => b.tvlUsd - a.tvlUsd || compareVaultIds(a.vault.vaultId, b.vault.vaultId))
    .slice(0, benchmarkVaults);
  const total = largest.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0);
  return largest.reduce((sum, { tvlUsd, series }) => sum + (tvlUsd / total) * series.served.apy.now, 0);
}
