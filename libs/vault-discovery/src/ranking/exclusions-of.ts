import { daySeconds, hourSeconds } from '../metrics/statistics.js';
import { priceSources } from '../ports.js';
import type { MeasureOptions, Measurement } from './measure-vaults.js';

const minHistorySeconds = daySeconds;
const maxSnapshotAgeSeconds = 3 * hourSeconds;
const maxTvlUsd = 20e9;
const maxWholeSharePrice = 1e6;
const extraProbeDecimals = 6;

/** Flags of the registry that keep a vault out of discover. */
export const badFlags: ReadonlySet<string> = new Set([
  'async',
  'deprecated',
  'exploited',
  'morpho-delisted',
  'paused',
  'red-warning',
  'retired',
]);

/** List why a vault is not listed; empty when it is. */
export function exclusionsOf(
  { vault: { entry }, snapshots, last, served, tvlUsd, obstacle }: Measurement,
  { now, minTvlUsd }: MeasureOptions,
): string[] {
  const reasons = entry.flags.filter((flag) => badFlags.has(flag)).map((flag) => `flag:${flag}`);
  if (obstacle !== undefined) reasons.push(obstacle);
  if (!last || !snapshots[0]) return [...reasons, 'no-snapshot'];
  if (!served.isUsable || last.t - snapshots[0].t < minHistorySeconds) reasons.push('history-under-24h');
  if (now - last.t > maxSnapshotAgeSeconds) reasons.push('snapshot-too-old');
  if (last.priceSource === priceSources.unknown) reasons.push('price-unknown');
  else if (tvlUsd < minTvlUsd) reasons.push('tvl-too-low');
  const sharePrice = Number(last.sharePrice) / 10 ** (entry.asset.decimals + extraProbeDecimals);
  if (tvlUsd > maxTvlUsd || sharePrice > maxWholeSharePrice) reasons.push('implausible');
  return reasons;
}
