import { isPrice, type PriceSeries } from './series.js';
import { daySeconds, hourSeconds, medianInPlace } from './statistics.js';

const spikeDistance = 0.33;
const agreement = 0.1;
const spikeStalenessSeconds = 6 * hourSeconds;
const smallestJump = 0.01;
const jumpDeviations = 20;
/** Makes the median absolute deviation comparable with a standard deviation of normal data. */
const madScale = 1.4826;
/** With fewer returns the median may be the very rise in question. */
const minReturns = 3;
const thinTvlUsd = 10_000;
const thinShare = 0.02;

/** A rise of the share price that no yield explains, e.g. a donation. */
export interface Jump {
  /** Unix seconds of the first sample after it. */
  readonly t: number;
  readonly logReturn: number;
}

export interface CleanedSeries {
  /** For APY and Sharpe ratio. */
  readonly series: PriceSeries;
  /** Only spikes repaired: for drawdown and losses. */
  readonly repaired: PriceSeries;
  readonly jumps: readonly Jump[];
  readonly spikesRepaired: number;
}

/**
 * Clean a share price series for APY and Sharpe ratio. A fall by a third that recovers within a day is a data error and
 * is repaired. A rise that no yield explains counts as the usual return. While a vault holds next to nothing, rises do
 * not count. Every other fall is kept.
 *
 * @returns the given columns where there was nothing to clean
 */
export function cleanSeries(series: PriceSeries): CleanedSeries {
  if (isUneventful(series)) return { series, repaired: series, jumps: [], spikesRepaired: 0 };
  const { repaired, isRepaired, spikesRepaired } = repairSpikes(series);
  return { ...flattenJumps(repaired, isRepaired), repaired, spikesRepaired };
}

/** A cheap test, without logarithms and medians, that no rule applies. Most series pass it. */
function isUneventful({ t, sharePrice, tvlUsd }: PriceSeries): boolean {
  let lowest = Infinity;
  let highest = 0;
  let lowestRatio = 1;
  let highestRatio = 1;
  let longest = hourSeconds;
  let leastHeld = Infinity;
  for (let index = 0; index < t.length; index++) {
    const price = sharePrice[index]!;
    if (!isPrice(price)) return false;
    if (tvlUsd[index]! < leastHeld) leastHeld = tvlUsd[index]!;
    if (price < lowest) lowest = price;
    if (price > highest) highest = price;
    if (index === 0) continue;
    const ratio = price / sharePrice[index - 1]!;
    if (ratio < lowestRatio) lowestRatio = ratio;
    if (ratio > highestRatio) highestRatio = ratio;
    const pause = t[index]! - t[index - 1]!;
    if (pause > longest) longest = pause;
  }
  // The usual return is no lower than the lowest one, and the limit of a rise over hours falls with it.
  const lowestLimit = smallestJump + Math.log(lowestRatio) * Math.round(longest / hourSeconds - 1);
  return (
    lowest > highest * (1 - spikeDistance) &&
    Math.log(highestRatio) < lowestLimit &&
    leastHeld >= thinThreshold(tvlUsd)
  );
}

interface Repair {
  readonly repaired: PriceSeries;
  /** By index; undefined when nothing was repaired. */
  readonly isRepaired: Uint8Array | undefined;
  readonly spikesRepaired: number;
}

/**
 * A sample far below both the day before and the day after, which agree, becomes their mean. A sample far above them
 * is kept: buyers at that price lost the difference.
 */
function repairSpikes(series: PriceSeries): Repair {
  const { t, sharePrice } = series;
  const { length } = t;
  let repaired: Float64Array | undefined;
  let isRepaired: Uint8Array | undefined;
  let spikesRepaired = 0;
  let before = -1;
  let after = 0;
  for (let index = 0; index < length; index++) {
    const time = t[index]!;
    while (before + 1 < length && t[before + 1]! <= time - daySeconds) before++;
    while (after < length && t[after]! < time + daySeconds) after++;
    if (after === length) break;
    if (before < 0) continue;
    const earlier = sharePrice[before]!;
    const later = sharePrice[after]!;
    const isSpike =
      sharePrice[index]! < earlier * (1 - spikeDistance) && sharePrice[index]! < later * (1 - spikeDistance);
    if (!isSpike || !isPrice(earlier) || !isPrice(later) || !(Math.abs(later / earlier - 1) < agreement))
      continue;
    const farthest = Math.max(time - t[before]!, t[after]! - time);
    if (farthest > daySeconds + spikeStalenessSeconds) continue;
    repaired ??= sharePrice.slice();
    isRepaired ??= new Uint8Array(length);
    repaired[index] = earlier / 2 + later / 2;
    isRepaired[index] = 1;
    spikesRepaired++;
  }
  return {
    repaired: repaired === undefined ? series : { t, sharePrice: repaired, tvlUsd: series.tvlUsd },
    isRepaired,
    spikesRepaired,
  };
}

/** By index: the log return since the sample before that can be compared, and the hours between them. */
interface Steps {
  readonly returns: Float64Array;
  readonly hours: Float64Array;
}

/** Buffers of `flattenJumps`, reused so that ten thousand series need no new memory. */
let scratch = { returns: new Float64Array(0), hours: new Float64Array(0), values: new Float64Array(0) };

function flattenJumps(
  series: PriceSeries,
  isRepaired: Uint8Array | undefined,
): Pick<CleanedSeries, 'series' | 'jumps'> {
  const { t, sharePrice, tvlUsd } = series;
  const steps = measureSteps(series, isRepaired);
  const { usualReturn, deviation } = measureReturns(steps);
  const thin = thinThreshold(tvlUsd);

  const jumps: Jump[] = [];
  let flattened: Float64Array | undefined;
  let scale = 1;
  let last = -1;
  for (let index = 0; index < t.length; index++) {
    const hours = steps.hours[index]!;
    if (hours > 0) {
      const step = steps.returns[index]!;
      const usual = usualReturn * hours;
      // Over a gap of hours yield accrues and prices drift as a random walk; the allowance for a donation stays that of
      // one hour.
      const isJump = step > usual + Math.max(smallestJump - usualReturn, deviation * Math.sqrt(hours));
      const isThin = tvlUsd[last]! < thin;
      if (isJump) jumps.push({ t: t[index]!, logReturn: step });
      const counted = isJump ? usual : step;
      const kept = isThin ? Math.min(counted, 0) : counted;
      if (kept !== step) {
        flattened ??= sharePrice.slice();
        scale *= Math.exp(kept - step);
      }
    }
    if (flattened !== undefined) flattened[index] = sharePrice[index]! * scale;
    if (isComparable(series, isRepaired, index)) last = index;
  }
  return {
    series: flattened === undefined ? series : { t, sharePrice: flattened, tvlUsd },
    jumps,
  };
}

/**
 * A repaired sample contains later prices: comparing it would split a jump into two halves. A price of 0 is kept, but a
 * rise is measured from the last price before it.
 */
const isComparable = (
  { sharePrice }: PriceSeries,
  isRepaired: Uint8Array | undefined,
  index: number,
): boolean => isPrice(sharePrice[index]) && isRepaired?.[index] !== 1;

/** Hours are 0 without a comparable sample, else whole and at least 1: samples are some seconds off the hour. */
function measureSteps(series: PriceSeries, isRepaired: Uint8Array | undefined): Steps {
  const { t, sharePrice } = series;
  const { length } = t;
  if (scratch.returns.length < length)
    scratch = {
      returns: new Float64Array(length),
      hours: new Float64Array(length),
      values: new Float64Array(length),
    };
  const returns = scratch.returns.subarray(0, length);
  const hours = scratch.hours.subarray(0, length);
  let last = -1;
  for (let index = 0; index < length; index++) {
    hours[index] = 0;
    if (!isComparable(series, isRepaired, index)) continue;
    if (last >= 0) {
      returns[index] = logRatio(sharePrice[index]!, sharePrice[last]!);
      hours[index] = Math.max(Math.round((t[index]! - t[last]!) / hourSeconds), 1);
    }
    last = index;
  }
  return { returns, hours };
}

interface UsualReturns {
  /** Log return of an hour: the median. */
  readonly usualReturn: number;
  /** Allowed distance of an hour above it. */
  readonly deviation: number;
}

function measureReturns({ returns, hours }: Steps): UsualReturns {
  let count = 0;
  for (let index = 0; index < returns.length; index++) {
    const span = hours[index]!;
    if (span > 0) scratch.values[count++] = returns[index]! / span;
  }
  if (count < minReturns) return { usualReturn: 0, deviation: 0 };
  const values = scratch.values.subarray(0, count);
  const usualReturn = medianInPlace(values);
  count = 0;
  for (let index = 0; index < returns.length; index++) {
    const span = hours[index]!;
    if (span > 0) values[count++] = Math.abs(returns[index]! - usualReturn * span) / Math.sqrt(span);
  }
  return { usualReturn, deviation: jumpDeviations * madScale * medianInPlace(values) };
}

/** Below this TVL the share price is cheap to move. */
function thinThreshold(tvlUsd: Float64Array): number {
  let sum = 0;
  let count = 0;
  for (let index = 0; index < tvlUsd.length; index++) {
    const held = tvlUsd[index]!;
    if (!Number.isFinite(held)) continue;
    sum += held;
    count++;
  }
  return count === 0 ? 0 : Math.max(thinTvlUsd, (thinShare * sum) / count);
}

function logRatio(price: number, earlier: number): number {
  const ratio = price / earlier;
  return isPrice(ratio) ? Math.log(ratio) : Math.log(price) - Math.log(earlier);
}
