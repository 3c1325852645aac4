import type { Address, ChainId, Digits, Integer, Timestamp } from './values.js';
import type { Governance, VaultExit, VaultFees, VaultMarket, VaultReward } from './vault-facts.js';

export const strategies = ['maximize_apy', 'minimize_risk', 'balanced'] as const;

/** A fixed ranking preset. */
export type Strategy = (typeof strategies)[number];

export const riskLevels = ['low', 'medium', 'high'] as const;

/** A word for the risk score, and the ceiling that `riskTolerance` sets. */
export type RiskLevel = (typeof riskLevels)[number];

export type RiskRating = 'A+' | 'A' | 'A-' | 'B+' | 'B' | 'B-' | 'C' | 'D' | 'F';

export type Tier = 'prime' | 'core' | 'edge';

/** APY in percent: 10 means 10 %. */
export interface Apy {
  /** Over the last day. @example 4.6486 */
  readonly now: number;
  /** Over the last week. @example 4.6083 */
  readonly week: number;
  /** Over the last month. @example 4.5925 */
  readonly month: number;
}

/** Risk of a vault. */
export interface Risk {
  /** 0 (safest) to 100. @example 2.5 */
  readonly score: number;
  /** The score as a word. @example low */
  readonly level: RiskLevel;
  /** The score as a grade. @example A+ */
  readonly rating: RiskRating;
}

/** Sharpe ratio of the share price. */
export interface Sharpe {
  /** Over the last week. @example 2.1 */
  readonly week: number;
  /** Over the last month. @example 1.8 */
  readonly month: number;
}

/** The underlying token of a vault. */
export interface Asset {
  /** Symbol. @example USDC */
  readonly symbol: string;
  /** Address of the token contract. @example {usdc} */
  readonly address: Address;
  /** Decimals of its base units. @example 6 */
  readonly decimals: Integer;
}

/** The fixed properties of an ERC-4626 vault. @local */
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

/** The measured properties of a vault. @local */
export interface VaultMetrics {
  readonly apy: Apy;
  readonly risk: Risk;
  readonly sharpe: Sharpe;
  readonly tvlUsd: number;
  readonly tier: Tier;
}

/** A vault of the catalogue with its newest numbers, listed or not. @local */
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
  readonly exit: VaultExit;
  readonly fees: VaultFees;
  readonly rewards: readonly VaultReward[];
  /** Percent of the risk weights whose input is known. */
  readonly coverage: number;
  readonly governance: Governance;
  readonly markets: readonly VaultMarket[];
  /** Gas that a simulated deposit and redeem took inside the vault; 0 when unknown. */
  readonly gas: { readonly deposit: number; readonly redeem: number };
}

/** A vault that fits the request. */
export interface VaultCandidate {
  /** Stable id; pass it to prepare. @example {vaultId} */
  readonly vaultId: Digits;
  /** Address of the vault contract. @example {vaultAddress} */
  readonly vaultAddress: Address;
  /** Name of the vault. @example {vaultName} */
  readonly name: string;
  /** Protocol that runs the vault. @example {protocol} */
  readonly protocol: string;
  /** Symbol of the underlying asset. @example USDC */
  readonly asset: string;
  /** Address of the asset. @example {usdc} */
  readonly assetAddress: Address;
  /** Decimals of the asset. @example 6 */
  readonly assetDecimals: Integer;
  /** Chain key. @example base */
  readonly chain: string;
  /** APY in percent. */
  readonly apy: Apy;
  /** Risk of the vault. */
  readonly risk: Risk;
  /** Percent of the risk weights whose input is known. @example 100 */
  readonly riskCoverage: number;
  /** USD that holders could redeem at once; null when unknown. @example 950000 */
  readonly exitUsd: number | null;
  /** Return for its variation. */
  readonly sharpe: Sharpe;
  /** Assets under management, in USD. @example 1250000 */
  readonly tvlUsd: number;
  /** Class of the vault, prime first. @example prime */
  readonly tier: Tier;
  /** Ranking score from 0 to 100; the list is ordered by it. @example 87.42 */
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

/** The best vaults for the request, best first. */
export interface DiscoverResponse {
  /** Chain key. @example base */
  readonly chain: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Preset that ordered the list. @example balanced */
  readonly strategy: Strategy;
  /** Length of the list; 0 when no vault fits. @example 1 */
  readonly count: Integer;
  /** Ordered by compositeScore, highest first. */
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

/** The last snapshot of one bucket. */
export interface HistoryPoint {
  /** Time of the point, UTC. @example 2026-01-01T12:00:00.000Z */
  readonly timestamp: Timestamp;
  /** APY in percent. @example 4.1 */
  readonly apy: number;
  /** Assets under management, in USD. @example 1250000 */
  readonly tvl: number;
}

/** Figures over all points; zero when there is none. */
export interface HistorySummary {
  /** Mean APY in percent. @example 4.1 */
  readonly avgApy: number;
  /** Highest APY in percent. @example 4.4 */
  readonly maxApy: number;
  /** Lowest APY in percent. @example 3.9 */
  readonly minApy: number;
  /** Mean TVL in USD. @example 1240000 */
  readonly avgTvl: number;
  /** Number of points. @example 168 */
  readonly dataPoints: Integer;
}

/** APY and TVL of a vault over time. */
export interface HistoryResponse {
  /** Id of the vault. @example {vaultId} */
  readonly vaultId: Digits;
  /** How far back. @example 7d */
  readonly period: HistoryPeriod;
  /** Width of a point. @example hourly */
  readonly resolution: HistoryResolution;
  /** Oldest first; buckets without a snapshot are left out. */
  readonly data: readonly HistoryPoint[];
  /** Figures over all points. */
  readonly summary: HistorySummary;
}
