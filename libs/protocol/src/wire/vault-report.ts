import type { Apy, Asset, RiskLevel, RiskRating, Sharpe, Strategy, Tier } from './vault.js';

export const capabilityResults = [
  'ok',
  'deposit-closed',
  'paused',
  'below-minimum',
  'whitelist',
  'reverts',
  'async',
] as const;
/** The result of a simulated deposit and redeem. */
export type CapabilityResult = (typeof capabilityResults)[number];

/** The newest simulated deposit and redeem of a vault. Amounts are base units, as strings. */
export interface VaultCapability {
  readonly verdict: CapabilityResult;
  /** ISO 8601. */
  readonly checkedAt: string;
  readonly blockNumber: number;
  /** Which step did not work; null when both did. */
  readonly failedStep: 'deposit' | 'redeem' | null;
  /** Decoded revert reason; null when there is none. */
  readonly reason: string | null;
  /** Base units of the asset that were deposited. */
  readonly assetsIn: string;
  /** Base units of the share that they bought. */
  readonly sharesOut: string;
  /** Base units of the asset that these shares paid. */
  readonly assetsOut: string;
}

/** A vault of the catalogue, listed or not: element of `vaults` in the vault list. */
export interface VaultSummary {
  readonly vaultId: string;
  readonly vaultAddress: string;
  readonly name: string;
  readonly protocol: string;
  readonly asset: Asset;
  readonly chain: string;
  readonly chainId: number;
  readonly shareDecimals: number;
  readonly apy: Apy;
  readonly risk: { readonly score: number; readonly level: RiskLevel; readonly rating: RiskRating };
  readonly sharpe: Sharpe;
  readonly tvlUsd: number;
  /** Whole assets for one whole share at the newest sample; 0 before the first. */
  readonly sharePrice: number;
  readonly tier: Tier;
  /** 0 to 100, two decimals, by strategy. */
  readonly compositeScores: Readonly<Record<Strategy, number>>;
  /** Whether discover may return it. */
  readonly listed: boolean;
  /** Why it is not listed; empty when it is. */
  readonly exclusions: readonly string[];
  readonly flags: readonly string[];
}

export interface VaultListRequest {
  /** Every active chain by default. */
  readonly chain?: string;
  readonly asset?: string;
  /** Both by default. */
  readonly listed?: boolean;
  /** 1 to 100. */
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface VaultListResponse {
  /** Vaults of this page. */
  readonly count: number;
  /** Vaults of all pages. */
  readonly total: number;
  /** For the next page; null on the last one. */
  readonly nextCursor: string | null;
  /** Ordered by `vaultId` as an integer, so that pages are stable while numbers change. */
  readonly vaults: readonly VaultSummary[];
}

/** How one APY was computed. */
export interface ApyExplanation {
  /** Percent; null when the window has too little history. */
  readonly value: number | null;
  /** `full`: over the whole window. `gap`: from the first sample after a gap. `partial`: from the first sample. */
  readonly quality: 'full' | 'gap' | 'partial' | null;
  /** The window that `apy` shows: this one, or its substitute. */
  readonly servedBy: keyof Apy | null;
  readonly from: PriceSample | null;
  readonly to: PriceSample | null;
}

/** A share price after cleaning. */
export interface PriceSample {
  /** ISO 8601. */
  readonly timestamp: string;
  /** Whole assets for one whole share. */
  readonly sharePrice: number;
}

export interface RiskFactorExplanation {
  readonly factor: string;
  /** Percent of the score. */
  readonly weight: number;
  /** The measured input; null when unknown. */
  readonly input: string | number | null;
  /** 0 best to 100 worst; the prior when the input is unknown. */
  readonly value: number;
  readonly isKnown: boolean;
  /** weight × value / 100. */
  readonly contribution: number;
}

export interface CompositeExplanation {
  /** 0 to 100 each. */
  readonly features: Readonly<Record<'yield' | 'safety' | 'sharpe' | 'tvl' | 'stability', number>>;
  /** Add up to 1. */
  readonly weights: Readonly<Record<'yield' | 'safety' | 'sharpe' | 'tvl' | 'stability', number>>;
  /** 1, 0.9 or 0.75 by length of the history. */
  readonly quality: number;
  readonly score: number;
}

/** A vault with the inputs of all its numbers. */
export interface VaultReport extends VaultSummary {
  /** The sources of the vault. */
  readonly sources: readonly string[];
  readonly data: {
    /** ISO 8601; null before the first sample. */
    readonly firstSnapshotAt: string | null;
    readonly latestSnapshotAt: string | null;
    /** Seconds since the newest snapshot; null before the first. */
    readonly ageSeconds: number | null;
    readonly blockNumber: number | null;
    readonly snapshots: number;
    /** Snapshots from an external chart. */
    readonly externalSnapshots: number;
    /** Periods of more than 2 hours without a sample within the last 31 days, newest first, at most 20. */
    readonly gaps: readonly { readonly from: string; readonly until: string }[];
    /** When the numbers were computed; ISO 8601. */
    readonly computedAt: string;
  };
  readonly explanation: {
    readonly apy: Readonly<Record<keyof Apy, ApyExplanation>>;
    /** Rises that yield cannot explain; APY and Sharpe ratio leave them out. */
    readonly jumps: readonly { readonly timestamp: string; readonly changePercent: number }[];
    readonly spikesRepaired: number;
    readonly sharpe: {
      /** A year, in percent. */
      readonly riskFreeRate: number;
      readonly weekObservations: number;
      readonly monthObservations: number;
    };
    /** Percent; null when the history is too short. */
    readonly maxDrawdown90d: number | null;
    /** Annualised, percent; null when the history is too short. */
    readonly volatility: number | null;
    /** 0 to 100: smallest by largest of the three APYs. */
    readonly stability: number;
    readonly tvl: {
      /** Base units of the asset. */
      readonly totalAssets: string;
      readonly priceUsd: number;
      readonly priceSource: string;
      readonly usd: number;
    };
    /** Percent that the largest vaults of the same chain and asset kind pay; null without any. */
    readonly benchmarkApy: number | null;
    readonly risk: {
      /** Sum of the contributions. */
      readonly base: number;
      /** Percent of the weights whose input is known. */
      readonly coverage: number;
      readonly factors: readonly RiskFactorExplanation[];
      /** The score is at least each of these. */
      readonly floors: readonly { readonly reason: string; readonly atLeast: number }[];
    };
    readonly composite: Readonly<Record<Strategy, CompositeExplanation>>;
  };
  /** Null before the first simulation. */
  readonly capability: VaultCapability | null;
}
