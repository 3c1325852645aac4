import { clamp, daySeconds, hourSeconds, mean, median } from './statistics.js';
import { lastIndexAtOrBefore, type PricePoint, type PriceSeries } from './series.js';

const spikeDistance = 0.33;
const agreement = 0.1;
const spikeToleranceSeconds = 6 * hourSeconds;
const smallestJump = 0.01;
const jumpDeviations = 20;
/** Makes the median absolute deviation comparable with a standard deviation of normal data. */
const madScale = 1.4826;
const thinTvlUsd = 10_000;
const thinShare = 0.02;

/** A rise of the share price that no yield explains, e.g. a donation. */
export interface Jump {
  /** Unix seconds of the first sample after it. */
  readonly t: number;
  readonly logReturn: number;
}

export interface CleanedSeries {
  /** For APY and Sharpe. */
  readonly series: PriceSeries;
  /** Only spikes repaired: for drawdown and losses. */
  readonly repaired: PriceSeries;
  readonly jumps: readonly Jump[];
  readonly spikesRepaired: number;
}

/**
 * Clean a share price series: samples that spike and revert become the mean of the day before and after, jumps
 * up become the median return. Falls are kept, always.
 */
export function cleanSeries(series: PriceSeries): CleanedSeries {
  const { repaired, spikesRepaired } = repairSpikes(series);
  const { flattened, jumps } = flattenJumps(repaired);
  return { series: flattened, repaired, jumps, spikesRepaired };
}

function repairSpikes(series: PriceSeries): { repaired: PriceSeries; spikesRepaired: number } {
  let spikesRepaired = 0;
  const repaired = series.map((point): PricePoint => {
    const before = series[lastIndexAtOrBefore(series, point.t - daySeconds)];
    const after = series[lastIndexAtOrBefore(series, point.t + daySeconds - 1) + 1];
    if (!before || !after || before.sharePrice <= 0) return point;
    const stale =
      point.t - before.t > daySeconds + spikeToleranceSeconds ||
      after.t - point.t > daySeconds + spikeToleranceSeconds;
    const isSpike =
      distance(point.sharePrice, before.sharePrice) > spikeDistance &&
      distance(point.sharePrice, after.sharePrice) > spikeDistance &&
      distance(after.sharePrice, before.sharePrice) < agreement;
    if (stale || !isSpike) return point;
    spikesRepaired += 1;
    return { ...point, sharePrice: mean([before.sharePrice, after.sharePrice]) };
  });
  return { repaired, spikesRepaired };
}

function flattenJumps(series: PriceSeries): { flattened: PriceSeries; jumps: readonly Jump[] } {
  // Per hour, so that a gap of hours is no jump.
  const returns = series.slice(1).map((point, index) => {
    const before = series[index]!;
    const hours = clamp((point.t - before.t) / hourSeconds, 1, Infinity);
    const whole = Math.log(point.sharePrice / before.sharePrice);
    return { hours, whole, hourly: whole / hours };
  });
  const usable = returns.map(({ hourly }) => hourly).filter(Number.isFinite);
  const middle = usable.length > 0 ? median(usable) : 0;
  const mad = usable.length > 0 ? median(usable.map((value) => Math.abs(value - middle))) : 0;
  const threshold = Math.max(smallestJump, middle + jumpDeviations * madScale * mad);
  const thin = thinThreshold(series);

  const jumps: Jump[] = [];
  const flattened: PricePoint[] = [];
  series.forEach((point, index) => {
    const before = series[index - 1];
    const step = returns[index - 1];
    const last = flattened[index - 1];
    if (!before || !step || !last || !Number.isFinite(step.whole)) {
      flattened.push(point);
      return;
    }
    const isThin = before.tvlUsd !== undefined && before.tvlUsd < thin;
    const isJump = !isThin && step.hourly > threshold;
    if (isJump) jumps.push({ t: point.t, logReturn: step.whole });
    const growth = isThin ? 1 : isJump ? Math.exp(middle * step.hours) : point.sharePrice / before.sharePrice;
    flattened.push({ ...point, sharePrice: last.sharePrice * growth });
  });
  return { flattened, jumps };
}

/** Where a vault holds next to nothing, its share price is cheap to move. */
function thinThreshold(series: PriceSeries): number {
  const held = series.flatMap(({ tvlUsd }) => (tvlUsd === undefined ? [] : [tvlUsd]));
  return held.length === 0 ? 0 : Math.max(thinTvlUsd, thinShare * mean(held));
}

const distance = (value: number, reference: number): number => Math.abs(value / reference - 1);
