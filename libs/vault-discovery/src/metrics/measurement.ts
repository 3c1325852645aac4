import type { Apy, Sharpe } from '@yield-vault/protocol';
import type { TrackedVault } from '../chain/sample-block.js';
import { type Capability, extraProbeDecimals, type SeriesColumns, type Snapshot } from '../ports.js';
import { otherCurrency } from '../prices/priced-assets.js';
import type { RegistryEntry, VaultFacts } from '../types.js';
import type { ApyMeasurements, ServedApy } from './apy.js';
import type { Jump } from './clean-series.js';

/** The input of measuring one vault. */
export interface MeasureInput {
  readonly vault: TrackedVault;
  /** May be empty. */
  readonly series: SeriesColumns;
  /** The newest snapshot; undefined before the first. */
  readonly last: Snapshot | undefined;
  /** The newest simulated deposit and redeem; undefined before the first. */
  readonly capability: Capability | undefined;
  /** Fraction of the assets that can leave at once; undefined when the chain does not show it. */
  readonly liquidity: number | undefined;
}

export interface MeasureOptions {
  /** Unix seconds. */
  readonly now: number;
  /** Vaults below it are not listed. */
  readonly minTvlUsd: number;
  /** Seconds from which a simulated deposit no longer counts. */
  readonly maxProbeAgeSeconds: number;
}

/** A period without a sample; Unix seconds. */
export interface Gap {
  readonly from: number;
  readonly until: number;
}

/** A cleaned share price at a time. */
export interface TimedPrice {
  /** Unix seconds. */
  readonly t: number;
  readonly sharePrice: number;
}

/** The measurements of one vault's samples, without any other vault. */
export interface SeriesMeasurement {
  /** Samples of the chain. */
  readonly samples: number;
  readonly externalSamples: number;
  /** Times of the first and last sample of the chain, Unix seconds. */
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Newest first. */
  readonly gaps: readonly Gap[];
  readonly measured: ApyMeasurements;
  /** The samples that each APY was measured between. */
  readonly between: Readonly<
    Record<keyof Apy, { readonly from: TimedPrice; readonly to: TimedPrice } | null>
  >;
  readonly served: ServedApy;
  /** `apy.now` comes from an external chart. */
  readonly isNowExternal: boolean;
  readonly jumps: readonly Jump[];
  readonly spikesRepaired: number;
  /** A year, as a fraction. */
  readonly riskFreeRate: number;
  readonly sharpe: Sharpe;
  readonly sharpeObservations: { readonly week: number; readonly month: number };
  /** Fractions; undefined when the history is too short. */
  readonly maxDrawdown90d: number | undefined;
  readonly volatility: number | undefined;
  /** Fraction. */
  readonly loss30d: number;
}

/** The parts of a measurement that need no other vault. */
export interface Measurement extends Omit<MeasureInput, 'series'> {
  readonly series: SeriesMeasurement;
  readonly tvlUsd: number;
  /** Faults of the vault or its data. */
  readonly dataExclusions: readonly string[];
}

type Decimals = { readonly asset: Pick<RegistryEntry['asset'], 'decimals'> };

/** Whole assets for one whole share. */
export const sharePriceOf = ({ asset }: Decimals, { sharePrice }: Pick<Snapshot, 'sharePrice'>): number =>
  Number(sharePrice) / 10 ** (asset.decimals + extraProbeDecimals);

/** USD that a vault held when it was measured; a finite number, whatever the chain says. */
export const tvlUsdOf = (
  { asset }: Decimals,
  { totalAssets, priceUsd }: Pick<Snapshot, 'totalAssets' | 'priceUsd'>,
): number => Math.min((Number(totalAssets) / 10 ** asset.decimals) * priceUsd, Number.MAX_VALUE);

/** Order vault ids as integers: decimal digits without leading zeros. */
export const compareVaultIds = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : Number(a > b));

const peggedClasses: ReadonlySet<string> = new Set(['fiat_stable', 'cdp_stable', 'synthetic_stable']);

export type PeggedEntry = Pick<RegistryEntry, 'asset' | 'facts'>;

/** Find the currency that the asset of a vault is pegged to; null without a peg. */
export function currencyOf({ asset, facts }: PeggedEntry): 'usd' | 'eur' | 'other' | null {
  if (facts.assetClass === undefined || !peggedClasses.has(facts.assetClass)) return null;
  if (!otherCurrency.test(asset.symbol)) return 'usd';
  return /eur/i.test(asset.symbol) ? 'eur' : 'other';
}

/** Vaults with the same key are compared with each other: one chain, one kind of asset. */
export const benchmarkGroupOf = (entry: PeggedEntry & Pick<RegistryEntry, 'chainId'>): string =>
  [entry.chainId, entry.facts.assetClass ?? 'unknown', currencyOf(entry) ?? ''].join(' ');

/** Yield of the asset without any vault: a year, as a fraction; set 2026-11. */
const ratesByAssetClass: Readonly<Record<NonNullable<VaultFacts['assetClass']>, number>> = {
  fiat_stable: 0.04,
  cdp_stable: 0.04,
  synthetic_stable: 0.04,
  native: 0.025,
  lst: 0.025,
  lrt: 0.025,
  wrapped_btc: 0,
};
const euroRate = 0.02;

/** Look up the risk-free rate of a vault's asset; an unknown kind gets the highest. */
export function riskFreeRate(entry: PeggedEntry): number {
  if (currencyOf(entry) === 'eur') return euroRate;
  return ratesByAssetClass[entry.facts.assetClass ?? 'fiat_stable'];
}
