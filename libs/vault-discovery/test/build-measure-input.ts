import { type MeasureInput, toSample } from '../src/measuring/measurement.js';
import { createSeriesBook, snapshotOrigins } from '@yield-vault/vault-metrics';
import type { Snapshot } from '../src/ports.js';
import { buildHourlySnapshots, buildTrackedVault } from './build-snapshots.js';
import { buildExitState } from './build-exit.js';
import { buildCapability } from './build-stored-report.js';

/** 2026-11-18 11:06:40 UTC: when the built vaults are measured. */
export const measuredAt = 1_795_000_000;

/** Build a vault with a month of hourly snapshots that pays 5 % and takes deposits. */
export function buildMeasureInput(
  overrides: Partial<Omit<MeasureInput, 'series'>> & { readonly snapshots?: readonly Snapshot[] } = {},
): MeasureInput {
  const { snapshots = buildHourlySnapshots({ end: measuredAt, hours: 31 * 24 }), ...rest } = overrides;
  const { vault = buildTrackedVault() } = rest;
  const book = createSeriesBook();
  for (const snapshot of snapshots) book.add(vault.id, toSample(vault.entry, snapshot));
  return {
    vault,
    series: book.columns(vault.id),
    last: snapshots.findLast(({ origin }) => origin === snapshotOrigins.chain),
    capability: buildCapability({ checkedAt: measuredAt - 600 }),
    exit: buildExitState({ checkedAt: measuredAt - 600 }),
    ...rest,
  };
}
