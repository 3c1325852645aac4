import type { Address } from 'viem';

export const strategies = ['maximize_apy', 'minimize_risk', 'balanced'] as const;
/** A fixed ranking preset. */
export type Strategy = (typeof strategies)[number];

export const riskLevels = ['low', 'medium', 'high'] as const;
/** A word for the risk score, and the ceiling that `riskTolerance` sets. */
export type RiskLevel = (typeof riskLevels)[number];

export const riskRatings = ['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C', 'D', 'F'] as const;
export type RiskRating = (typeof riskRatings)[number];

export const tiers = ['prime', 'core', 'edge'] as const;
export type Tier = (typeof tiers)[number];

/** APY in percent (10 means 10 %) over the last day, week and month. */
export interface Apy {
  readonly now: number;
  readonly week: number;
  readonly month: number;
}

/** Risk from 0 (safest) to 100, with its level and rating. */
export interface Risk {
  readonly score: number;
  readonly level: RiskLevel;
  readonly rating: RiskRating;
}

export interface Sharpe {
  readonly week: number;
  readonly month: number;
}

/** The underlying token of a vault. */
export interface Asset {
  readonly symbol: string;
  readonly address: Address;
  readonly decimals: number;
}

/** The fixed properties of an ERC-4626 vault. */
export interface Vault {
  readonly vaultId: string;
  readonly vaultAddress: Address;
  readonly chain: string;
  readonly chainId: number;
  readonly name: string;
  readonly protocol: string;
  readonly asset: Asset;
  readonly shareDecimals: number;
}

/** The measured properties of a vault. */
export interface VaultMetrics {
  readonly apy: Apy;
  readonly risk: Risk;
  readonly sharpe: Sharpe;
  readonly tvlUsd: number;
  readonly tier: Tier;
}

/** A vault of the catalogue with its newest numbers, listed or not. */
export interface RankedVault extends Vault, VaultMetrics {
  /** 0 to 100 by strategy, not rounded. */
  readonly compositeScores: Readonly<Record<Strategy, number>>;
  /** Whole assets for one whole share at the newest sample; 0 when unknown. */
  readonly sharePrice: number;
  /** USD for one whole unit of the asset; 0 when unknown. */
  readonly assetPriceUsd: number;
  /** Whether discover may return it. Positions of an unlisted vault stay visible and redeemable. */
  readonly listed: boolean;
  /** Why it is not listed; empty when it is. */
  readonly exclusions: readonly string[];
}

/** Element of `vaults` in the discover response. */
export interface VaultCandidate {
  readonly vaultId: string;
  readonly vaultAddress: Address;
  readonly name: string;
  readonly protocol: string;
  readonly asset: string;
  readonly assetAddress: Address;
  readonly assetDecimals: number;
  readonly chain: string;
  readonly apy: Apy;
  readonly risk: Risk;
  readonly sharpe: Sharpe;
  readonly tvlUsd: number;
  readonly tier: Tier;
  /** 0 to 100, two decimals. */
  readonly compositeScore: number;
}

export interface DiscoverRequest {
  readonly chain: string;
  readonly asset?: string;
  readonly strategy: Strategy;
  readonly riskTolerance?: RiskLevel;
  /** Percent. */
  readonly minApy?: number;
  readonly limit: number;
}

export interface DiscoverResponse {
  readonly chain: string;
  readonly chainId: number;
  readonly strategy: Strategy;
  readonly count: number;
  readonly vaults: readonly VaultCandidate[];
}

export const historyPeriods = ['1h', '24h', '7d', '30d', '90d'] as const;
export type HistoryPeriod = (typeof historyPeriods)[number];

export const historyResolutions = ['hourly', 'daily'] as const;
export type HistoryResolution = (typeof historyResolutions)[number];

export interface HistoryRequest {
  readonly vaultId: string;
  readonly period: HistoryPeriod;
  readonly resolution?: HistoryResolution;
}

export interface HistoryPoint {
  /** ISO 8601. */
  readonly timestamp: string;
  readonly apy: number;
  /** USD. */
  readonly tvl: number;
}

export interface HistoryResponse {
  readonly vaultId: string;
  readonly period: HistoryPeriod;
  readonly resolution: HistoryResolution;
  readonly data: readonly HistoryPoint[];
  readonly summary: {
    readonly avgApy: number;
    readonly maxApy: number;
    readonly minApy: number;
    readonly avgTvl: number;
    readonly dataPoints: number;
  };
}
