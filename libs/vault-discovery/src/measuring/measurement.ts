import type { TrackedVault } from '../catalogue/check-vaults.js';
import { currencyOf, type PeggedEntry } from '../catalogue/currency-of.js';
import { type Capability, type ExitState, extraProbeDecimals, type Snapshot } from '../ports.js';
import type { BookedSample, SeriesColumns, SeriesMeasurement } from '@yield-vault/vault-metrics';
import type { RegistryEntry, VaultFacts } from '../catalogue/parse-registry.js';

/** The input of measuring one vault. */
export interface MeasureInput {
  readonly vault: TrackedVault;
  /** May be empty. */
  readonly series: SeriesColumns;
  /** The newest snapshot; undefined before the first. */
  readonly last: Snapshot | undefined;
  /** The newest simulated deposit and redeem; undefined before the first. */
  readonly capability: Capability | undefined;
  /** What holders can redeem; undefined before the first measurement. */
  readonly exit: ExitState | undefined;
}

export interface MeasureOptions {
  /** Unix seconds. */
  readonly now: number;
  /** Vaults below it are not listed. */
  readonly minTvlUsd: number;
  /** Seconds from which a simulated deposit no longer counts. */
  readonly maxProbeAgeSeconds: number;
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

export const isoTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** A snapshot as a sample of the series. */
export const toSample = (entry: Decimals, snapshot: Snapshot): BookedSample => ({
  t: snapshot.t,
  sharePrice: sharePriceOf(entry, snapshot),
  tvlUsd: snapshot.priceUsd > 0 ? tvlUsdOf(entry, snapshot) : NaN,
  origin: snapshot.origin,
});

/** Order vault ids as integers: decimal digits without leading zeros. */
export const compareVaultIds = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : Number(a > b));

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
