import { badFlags } from '../catalogue/catalogue-source.js';
import { priceSources } from '../ports.js';
import { type Measurement, type MeasureOptions, sharePriceOf } from './measurement.js';
import { daySeconds, hourSeconds } from '@yield-vault/vault-metrics';

const minHistorySeconds = daySeconds;
const maxSnapshotAgeSeconds = 3 * hourSeconds;
const maxTvlUsd = 20e9;
const maxWholeSharePrice = 1e6;

/** List why the simulated deposit and redeem excludes a vault; empty after a success. */
export function capabilityExclusions(
  { capability }: Pick<Measurement, 'capability'>,
  { now, maxProbeAgeSeconds }: Pick<MeasureOptions, 'now' | 'maxProbeAgeSeconds'>,
): string[] {
  // Clocks of machines differ, and one may have jumped: a time in the future counts by its distance too.
  if (!capability || Math.abs(now - capability.checkedAt) > maxProbeAgeSeconds) return ['not-simulated'];
  return capability.result === 'ok' ? [] : [`capability:${capability.result}`];
}

/** List the faults of a vault or its data. Only samples of the chain count as a day of history. */
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
