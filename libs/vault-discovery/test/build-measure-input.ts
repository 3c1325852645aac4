import type { MeasureInput } from '../src/metrics/measurement.js';
import { createSeriesBook } from '../src/metrics/series-book.js';
import { type Capability, type Snapshot, snapshotOrigins } from '../src/ports.js';
import { buildHourlySnapshots, buildTrackedVault } from './build-snapshots.js';

/** 2026-11-18 11:06:40 UTC: when the built vaults are measured. */
export const measuredAt = 1_795_000_000;

export function buildCapability(overrides: Partial<Capability> = {}): Capability {
  return {
    ...{ vault: 1, result: 'ok', checkedAt: measuredAt - 600, block: 700n, failedStep: null, reason: null },
    ...{ assetsIn: 10_000_000n, sharesOut: 9_900_000n, assetsOut: 9_999_999n },
    ...overrides,
  };
}

/** Build a vault with a month of hourly snapshots that pays 5 % and takes deposits. */
export function buildMeasureInput(
  overrides: Partial<Omit<MeasureInput, 'series'>> & { readonly snapshots?: readonly Snapshot[] } = {},
): MeasureInput {
  const { snapshots = buildHourlySnapshots({ end: measuredAt, hours: 31 * 24 }), ...rest } = overrides;
  const { vault = buildTrackedVault() } = rest;
  const book = createSeriesBook();
  for (const snapshot of snapshots) book.add(vault, snapshot);
  return {
    vault,
    series: book.columns(vault.id),
    last: snapshots.findLast(({ origin }) => origin === snapshotOrigins.chain),
    capability: buildCapability(),
    liquidity: undefined,
    ...rest,
  };
}
