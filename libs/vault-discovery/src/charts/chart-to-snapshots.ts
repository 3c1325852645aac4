import { parseUnits } from 'viem';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { daySeconds, floorHour, hourSeconds, yearSeconds, snapshotOrigins } from '@yield-vault/vault-metrics';
import { extraProbeDecimals, priceSources, type Snapshot } from '../ports.js';
import type { AssetPrice, Pricer } from '../prices/priced-assets.js';
import type { ChartPoint, ExternalChart } from './create-llama-chart.js';

/** A yield says nothing about growth further away than this. */
const maxStepSeconds = 36 * hourSeconds;
/** The chart's share prices are used if its newest one is this close to the chain's. */
const maxAnchorSeconds = 3 * daySeconds;
const maxAnchorDistance = 0.005;
const maxDailyFactor = 2;
const maxApyPercent = 1_000;
const maxTvlUsd = 20e9;
/** Significant digits of a floating-point number. */
const digits = 15;
const maxSharePrice = 1e9;

/** The first sample that was read from the chain. */
export interface FirstSample {
  /** Unix seconds. */
  readonly t: number;
  /** Whole assets for one whole share. */
  readonly sharePrice: number;
}

export interface ChartWork {
  readonly vault: Pick<TrackedVault, 'id' | 'shareDecimals' | 'entry'>;
  readonly points: readonly ChartPoint[];
  /** The first sample of the chain: later points of the chart are ignored. */
  readonly first: FirstSample;
  /** Unix seconds; older points are ignored. */
  readonly since: number;
  readonly priceAt: (t: number) => AssetPrice;
}

/**
 * Go back from the first snapshot of the chain, day by day, by the share price of the chart if it agrees with the
 * chain, else by the stated yield. Implausible points are left out. A day without data ends the past, because its yield
 * is unknown.
 *
 * @returns oldest first, one a day
 */
export function chartToSnapshots({ vault, points, first, since, priceAt }: ChartWork): Snapshot[] {
  const { decimals } = vault.entry.asset;
  const scale = decimals + extraProbeDecimals;
  const chainPrice = first.sharePrice;
  if (!isWithin(chainPrice, maxSharePrice)) return [];
  const days = lastOfEachDay(points, since, floorHour(first.t)).reverse();
  const hasOurPrices = keepsPriceOf(days, first.t, chainPrice);
  const snapshots: Snapshot[] = [];
  let newer: NewerPoint = { t: first.t, price: chainPrice };
  for (const point of days) {
    if (point.tvlUsd > maxTvlUsd) continue;
    const price = (hasOurPrices ? point.sharePrice : undefined) ?? priceBefore(newer, point);
    if (price === undefined) break;
    // The share price of another unit or token.
    if (!isWithin(price / newer.price, maxDailyFactor)) continue;
    newer = { t: point.t, price, apyPercent: point.apyPercent };
    const sharePrice = parseUnits(price.toFixed(digits), scale);
    const { usd, source } = priceAt(point.t);
    const totalAssets = usd > 0 ? parseUnits((point.tvlUsd / usd).toFixed(decimals), decimals) : 0n;
    const probe = 10n ** BigInt(vault.shareDecimals + extraProbeDecimals);
    snapshots.push({
      vault: vault.id,
      t: point.t,
      block: 0n,
      origin: snapshotOrigins.externalChart,
      sharePrice,
      totalAssets,
      totalSupply: (totalAssets * probe) / sharePrice,
      priceUsd: usd,
      priceSource: source,
    });
  }
  return snapshots.reverse();
}

interface NewerPoint {
  readonly t: number;
  readonly price: number;
  readonly apyPercent?: number;
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

/** A chart may contain the price of another unit or token. */
function keepsPriceOf(newestFirst: readonly ChartPoint[], t: number, chainPrice: number): boolean {
  const newest = newestFirst.find(({ sharePrice }) => sharePrice !== undefined);
  if (newest?.sharePrice === undefined || t - newest.t > maxAnchorSeconds) return false;
  return Math.abs(newest.sharePrice / chainPrice - 1) <= maxAnchorDistance;
}

/** @returns the share price one point earlier; undefined when nothing tells it */
function priceBefore(newer: NewerPoint, point: ChartPoint): number | undefined {
  const apyPercent = newer.apyPercent ?? point.apyPercent;
  // The service stores every loss as 0, so a yield of 0 may hide one.
  if (!apyPercent || apyPercent <= -100 || apyPercent > maxApyPercent) return undefined;
  if (newer.t - point.t > maxStepSeconds) return undefined;
  return newer.price / (1 + apyPercent / 100) ** ((newer.t - point.t) / yearSeconds);
}

const isWithin = (ratio: number, factor: number): boolean => ratio >= 1 / factor && ratio <= factor;

export interface PastWork {
  readonly chart: ExternalChart;
  readonly pricer: Pricer;
  readonly vault: TrackedVault;
  readonly first: FirstSample;
  /** Unix seconds; older points are ignored. */
  readonly since: number;
  readonly signal?: AbortSignal;
}

/**
 * Read the past of a vault from an external chart. Its TVL is in USD, so the assets of a day are known only if the price
 * of that day is.
 *
 * @throws {UpstreamFailure} when the service does not respond
 */
export async function readPast({
  chart,
  pricer,
  vault,
  first,
  since,
  signal,
}: PastWork): Promise<Snapshot[]> {
  const points = (await chart.history(vault.entry, signal)).filter(({ t }) => t >= since && t < first.t);
  const prices = new Map<number, AssetPrice>();
  for (const { t } of points) {
    signal?.throwIfAborted();
    const priced = (await pricer.prices({ t }, [])).get(vault.entry.asset.address.toLowerCase());
    if (priced) prices.set(t, priced);
  }
  const priceAt = (t: number) => prices.get(t) ?? { usd: 0, source: priceSources.unknown };
  return chartToSnapshots({ vault, points, first, since, priceAt });
}
