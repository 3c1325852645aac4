import { formatUnits, parseUnits } from 'viem';
import type { TrackedVault } from '../chain/sample-block.js';
import { daySeconds, floorHour, hourSeconds, yearSeconds } from '../metrics/statistics.js';
import { extraProbeDecimals, snapshotOrigins, type Snapshot } from '../ports.js';
import type { AssetPrice } from '../prices/types.js';
import type { ChartPoint } from './types.js';

/** Growth further than that from the sample it was measured at is not known. */
const maxStepSeconds = 36 * hourSeconds;
/** The chart keeps share prices that are ours when the newest is this close to the chain's. */
const maxAnchorSeconds = 3 * daySeconds;
const maxAnchorDistance = 0.005;
const maxDailyFactor = 2;
const maxApyPercent = 1_000;
const maxTvlUsd = 20e9;
/** Share prices of a chart are floating-point numbers: beyond that nothing of them is left. */
const digits = 15;
const maxSharePrice = 1e9;

export interface ChartWork {
  readonly vault: Pick<TrackedVault, 'id' | 'shareDecimals' | 'entry'>;
  readonly points: readonly ChartPoint[];
  /** The first that was read from the chain: what a chart says of later times is not wanted. */
  readonly first: Snapshot;
  /** Unix seconds; older points are not wanted. */
  readonly since: number;
  readonly priceAt: (t: number) => AssetPrice;
}

/** What a chart was good for. */
export interface ChartPast {
  /** Oldest first, one a day. */
  readonly snapshots: readonly Snapshot[];
  /** Points that were wanted and are not used. */
  readonly dropped: readonly { readonly t: number; readonly reason: string }[];
}

/**
 * Go back from the first snapshot of the chain, day by day: to the share price that the chart keeps where that is
 * the one of the chain, else by the yield that it states. What cannot be right is dropped; a day that nothing is
 * known of ends the past, because what it did to the share price is not known either.
 */
export function chartToSnapshots({ vault, points, first, since, priceAt }: ChartWork): ChartPast {
  const { decimals } = vault.entry.asset;
  const scale = decimals + extraProbeDecimals;
  const chainPrice = Number(formatUnits(first.sharePrice, scale));
  const days = lastOfEachDay(points, since, floorHour(first.t)).reverse();
  const hasOurPrices = keepsPriceOf(days, first.t, chainPrice);
  const snapshots: Snapshot[] = [];
  const dropped: { t: number; reason: string }[] = [];
  const drop = (points: readonly ChartPoint[], reason: string) =>
    dropped.push(...points.map(({ t }) => ({ t, reason })));

  if (!isWithin(chainPrice, maxSharePrice)) {
    drop(days, 'the share price of the chain is beyond reason');
    return { snapshots, dropped: dropped.reverse() };
  }
  let newer: { readonly t: number; readonly price: number; readonly apyPercent?: number } = {
    t: first.t,
    price: chainPrice,
  };
  for (const [index, point] of days.entries()) {
    if (point.tvlUsd > maxTvlUsd) {
      drop([point], 'more TVL than any vault has');
      continue;
    }
    const stated = hasOurPrices ? point.sharePrice : undefined;
    const price = stated ?? priceBefore(newer, point);
    if (typeof price === 'string') {
      drop(days.slice(index), price);
      break;
    }
    if (!isWithin(price / newer.price, maxDailyFactor)) {
      drop([point], 'share price of another kind');
      continue;
    }
    newer = { t: point.t, price, apyPercent: point.apyPercent };
    const sharePrice = parseUnits(price.toFixed(digits), scale);
    const { usd, source } = priceAt(point.t);
    const totalAssets = usd > 0 ? parseUnits((point.tvlUsd / usd).toFixed(decimals), decimals) : 0n;
    const probe = 10n ** BigInt(vault.shareDecimals + extraProbeDecimals);
    snapshots.push({
      ...{ vault: vault.id, t: point.t, block: 0n, origin: snapshotOrigins.externalChart },
      ...{ sharePrice, totalAssets, totalSupply: (totalAssets * probe) / sharePrice },
      ...{ priceUsd: usd, priceSource: source },
    });
  }
  return { snapshots: snapshots.reverse(), dropped: dropped.reverse() };
}

/** Oldest first. */
function lastOfEachDay(points: readonly ChartPoint[], since: number, until: number): ChartPoint[] {
  const days = new Map<number, ChartPoint>();
  for (const point of points) {
    if (point.t < since || point.t >= until) continue;
    const day = Math.floor(point.t / daySeconds);
    if ((days.get(day)?.t ?? -Infinity) <= point.t) days.set(day, point);
  }
  return [...days.values()].sort((a, b) => a.t - b.t);
}

/** Charts keep the price of another unit, or of another token, under the same name. */
function keepsPriceOf(newestFirst: readonly ChartPoint[], t: number, chainPrice: number): boolean {
  const newest = newestFirst.find(({ sharePrice }) => sharePrice !== undefined);
  if (newest?.sharePrice === undefined || t - newest.t > maxAnchorSeconds) return false;
  return Math.abs(newest.sharePrice / chainPrice - 1) <= maxAnchorDistance;
}

/** @returns the share price one point earlier, or why nobody knows it */
function priceBefore(
  newer: { readonly t: number; readonly price: number; readonly apyPercent?: number },
  point: ChartPoint,
): number | string {
  const apyPercent = newer.apyPercent ?? point.apyPercent;
  if (newer.t - point.t > maxStepSeconds) return 'nothing is known of the days after it';
  if (apyPercent === undefined) return 'no yield is stated';
  // The service stores every loss as 0.
  if (apyPercent === 0) return 'a yield of 0 may hide a loss';
  if (apyPercent <= -100 || apyPercent > maxApyPercent) return 'the yield cannot be';
  return newer.price / (1 + apyPercent / 100) ** ((newer.t - point.t) / yearSeconds);
}

const isWithin = (ratio: number, factor: number): boolean => ratio >= 1 / factor && ratio <= factor;
