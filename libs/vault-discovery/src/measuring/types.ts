import type { Apy, Sharpe } from '@yield-vault/protocol';
import type { TrackedVault } from '../chain/sample-block.js';
import type { ApyMeasurements, ServedApy } from '../metrics/apy.js';
import type { Jump } from '../metrics/clean-series.js';
import type { Capability, SeriesColumns, Snapshot } from '../ports.js';

/** What is known of a vault when it is measured. */
export interface MeasureInput {
  readonly vault: TrackedVault;
  /** May be empty. */
  readonly series: SeriesColumns;
  /** The newest snapshot; undefined before the first. */
  readonly last: Snapshot | undefined;
  /** The newest simulated deposit and redeem; undefined before the first. */
  readonly capability: Capability | undefined;
  /** Fraction of the assets that can leave at once, where the chain told it. */
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

/** What the samples of one vault say, without any other vault. */
export interface SeriesMeasurement {
  /** Of the chain itself. */
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
  /** An external chart stands behind `apy.now`. */
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
  /** What is wrong with the vault or its data. */
  readonly dataExclusions: readonly string[];
}
