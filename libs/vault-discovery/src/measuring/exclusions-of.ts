import { badFlags } from '../catalogue/flags.js';
import { daySeconds, hourSeconds } from '../metrics/statistics.js';
import { priceSources } from '../ports.js';
import { sharePriceOf } from './snapshot-values.js';
import type { MeasureOptions, Measurement } from './types.js';

const minHistorySeconds = daySeconds;
const maxSnapshotAgeSeconds = 3 * hourSeconds;
const maxTvlUsd = 20e9;
const maxWholeSharePrice = 1e6;

/** List what the simulated deposit and redeem has against a vault; empty when it went well. */
export function capabilityExclusions(
  { capability }: Pick<Measurement, 'capability'>,
  { now, maxProbeAgeSeconds }: MeasureOptions,
): string[] {
  // Clocks of machines differ, and one may have jumped: the future is as far away as the past.
  if (!capability || Math.abs(now - capability.checkedAt) > maxProbeAgeSeconds) return ['not-simulated'];
  return capability.verdict === 'ok' ? [] : [`capability:${capability.verdict}`];
}

/** List what is wrong with a vault or its data. The gate of a day of history counts samples of the chain only. */
export function dataExclusions(
  { vault: { entry, contradictions = [] }, last, series, tvlUsd }: Omit<Measurement, 'dataExclusions'>,
  { now, minTvlUsd }: MeasureOptions,
): string[] {
  const flags = entry.flags.filter((flag) => badFlags.has(flag));
  const reasons = [
    ...contradictions.map((contradiction) => `contradicted:${contradiction}`),
    ...flags.map((flag) => `flag:${flag}`),
  ];
  const { firstAt, lastAt, served } = series;
  if (!last || firstAt === undefined || lastAt === undefined) return [...reasons, 'no-snapshot'];
  if (!served.isUsable || lastAt - firstAt < minHistorySeconds) reasons.push('history-under-24h');
  if (now - lastAt > maxSnapshotAgeSeconds) reasons.push('snapshot-too-old');
  if (last.priceSource === priceSources.unknown) reasons.push('price-unknown');
  else if (tvlUsd < minTvlUsd) reasons.push('tvl-too-low');
  if (tvlUsd > maxTvlUsd || sharePriceOf(entry, last) > maxWholeSharePrice) reasons.push('implausible');
  return reasons;
}
