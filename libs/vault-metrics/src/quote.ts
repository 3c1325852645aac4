import { yearDays, yearSeconds } from './statistics.js';

/** A deposit that is redeemed some days later. */
export interface Stay {
  /** What is deposited, in USD; above 0. */
  readonly amountUsd: number;
  /** Percent. */
  readonly apy: number;
  readonly days: number;
  /** Gas of the deposit and the redeem, in USD. */
  readonly gasUsd: number;
  /** The part of the value that is left after what the deposit loses and the exit fee, 0 to 1. */
  readonly kept: number;
}

/** APY of a stay after its costs, percent; -100 when they take everything. */
export function netApy({ amountUsd, apy, days, gasUsd, kept }: Stay): number {
  const grown = (1 + apy / 100) ** (days / yearDays);
  const left = Math.max(0, grown * kept - gasUsd / amountUsd);
  return (left ** (yearDays / days) - 1) * 100;
}

/** A position that earns. APYs are percent. */
export interface Earning {
  /** 0 when unknown. */
  readonly assetsUsd: number;
  readonly apy: number;
  /** Of the vault that the assets leave; 0 for a deposit. */
  readonly apyBefore: number;
}

/**
 * Count the days until the yield has paid for a cost.
 *
 * @param earning - none for a redeem
 * @returns `null` when the yield never pays for the cost, or the price of the asset is unknown
 */
export function breakEvenDays(costUsd: number, earning: Earning | undefined): number | null {
  if (!earning) return null;
  if (costUsd <= 0) return 0;
  const { assetsUsd, apy, apyBefore } = earning;
  const yearlyGrowth = Math.log1p(apy / 100) - Math.log1p(apyBefore / 100);
  const days = (yearDays * Math.log1p(costUsd / assetsUsd)) / yearlyGrowth;
  return yearlyGrowth > 0 && Number.isFinite(days) ? days : null;
}

/** The APY that is left when a deposit shares the yield of a vault, percent. */
export function dilutedApy(apy: number, tvlUsd: number, amountUsd: number): number {
  return amountUsd > 0 ? (apy * tvlUsd) / (tvlUsd + amountUsd) : apy;
}

// More than any vault pays for long, and far below what overflows.
const maxApy = 1_000;

/**
 * Turn the growth of a share price into an APY, percent.
 *
 * @returns undefined for a price that stays the same or jumps: it shows no rate
 */
export function apyOfGrowth(before: bigint, after: bigint, seconds: number): number | undefined {
  const apy = ((Number(after) / Number(before)) ** (yearSeconds / seconds) - 1) * 100;
  return after !== before && apy <= maxApy ? apy : undefined;
}
