import type { Digits, Integer, Timestamp } from './values.js';

/** A share price after cleaning. */
export interface PriceSample {
  /** Time of the block. @example 2026-01-01T11:59:48.000Z */
  readonly timestamp: Timestamp;
  /** Whole assets for one whole share. @example 1.091042088256 */
  readonly sharePrice: number;
}

/** Computation of one APY. */
export interface ApyExplanation {
  /** Percent of this window; null when it has too little history. @example 4.648646981425575 */
  readonly value: number | null;
  /**
   * full: over the whole window; gap: from the first sample after a gap; partial: from the first sample.
   * @example full
   */
  readonly quality: 'full' | 'gap' | 'partial' | null;
  /** The window whose value is served: this one, or one that stands in for it. @example now */
  readonly servedBy: 'now' | 'week' | 'month' | null;
  /** Where the window begins. */
  readonly from: PriceSample | null;
  /** Where it ends. */
  readonly to: PriceSample | null;
}

/** Computation of the three APYs. */
export interface ApyExplanations {
  /** Over the last day. */
  readonly now: ApyExplanation;
  /** Over the last week. */
  readonly week: ApyExplanation;
  /** Over the last month. */
  readonly month: ApyExplanation;
}

/** A rise that no yield explains, e.g. a donation. */
export interface Jump {
  /** First sample after it. @example 2026-01-01T11:59:48.000Z */
  readonly timestamp: Timestamp;
  /** Change of the share price in percent. @example 3 */
  readonly changePercent: number;
}

/** Inputs of the Sharpe ratios. */
export interface SharpeExplanation {
  /** Risk-free rate a year, in percent. @example 4 */
  readonly riskFreeRate: number;
  /** Daily returns of the week. @example 7 */
  readonly weekObservations: Integer;
  /** Daily returns of the month. @example 30 */
  readonly monthObservations: Integer;
}

/** Computation of the TVL. */
export interface TvlExplanation {
  /** Base units of the asset. @example 183213107068715 */
  readonly totalAssets: Digits;
  /** USD for one whole unit of the asset; 0 when unknown. @example 1 */
  readonly priceUsd: number;
  /** How the price was found. @example feed */
  readonly priceSource: string;
  /** Product of both, in USD. @example 183213107.068715 */
  readonly usd: number;
}

/** One factor of the risk score. @schema RiskFactor */
export interface RiskFactorExplanation {
  /** Name. @example audit */
  readonly factor: string;
  /** Percent of the score. @example 8 */
  readonly weight: number;
  /** What it was judged by; null when unknown. @example 6 */
  readonly input: string | number | null;
  /** 0 best to 100 worst; 100 when the input is unknown. @example 0 */
  readonly value: number;
  /** Whether the input is known. @example true */
  readonly isKnown: boolean;
  /** weight × value / 100. @example 0 */
  readonly contribution: number;
}

/** A least score. */
export interface RiskFloor {
  /** Why. @example age<30d */
  readonly reason: string;
  /** The risk score is at least this. @example 46 */
  readonly atLeast: number;
}

/** Computation of the risk score: the largest of base and floors. */
export interface RiskExplanation {
  /** Sum of the contributions. @example 2.4971066163758837 */
  readonly base: number;
  /** Percent of the weights whose input is known. @example 100 */
  readonly coverage: number;
  /** The factors; their weights add up to 100. */
  readonly factors: readonly RiskFactorExplanation[];
  /** The floors that hold. */
  readonly floors: readonly RiskFloor[];
}

/** One number for each part of the composite score. */
export interface CompositeParts {
  /** Of the APYs. @example 0.35 */
  readonly yield: number;
  /** Of the risk score. @example 0.3 */
  readonly safety: number;
  /** Of the Sharpe ratios. @example 0.15 */
  readonly sharpe: number;
  /** Of the TVL. @example 0.1 */
  readonly tvl: number;
  /** Of how alike the APYs are. @example 0.1 */
  readonly stability: number;
}

/** Computation of a composite score. */
export interface CompositeExplanation {
  /** The parts, 0 to 100 each. */
  readonly features: CompositeParts;
  /** Their weights, which add up to 1: those of the strategy, with Sharpe ratios that cannot be trusted moved to safety. */
  readonly weights: CompositeParts;
  /** 1, 0.9 or 0.75 by the length of the history. @example 1 */
  readonly quality: number;
  /** Sum of weight × part, times quality. @example 70.99965388184387 */
  readonly score: number;
}

/** Computation of the composite scores, by strategy. */
export interface CompositeExplanations {
  /** Of maximize_apy. */
  readonly maximize_apy: CompositeExplanation;
  /** Of minimize_risk. */
  readonly minimize_risk: CompositeExplanation;
  /** Of balanced. */
  readonly balanced: CompositeExplanation;
}

/** Every input, factor, weight and floor behind the numbers. */
export interface Explanation {
  /** The APYs. */
  readonly apy: ApyExplanations;
  /** Rises that were flattened for APY and Sharpe ratio. */
  readonly jumps: readonly Jump[];
  /** Samples that were errors of the data and repaired. @example 0 */
  readonly spikesRepaired: Integer;
  /** The Sharpe ratios. */
  readonly sharpe: SharpeExplanation;
  /** Largest loss within 90 days, percent; null when the history is too short. @example 0 */
  readonly maxDrawdown90d: number | null;
  /** Volatility a year, percent; null when the history is too short. @example 0.007774435099488727 */
  readonly volatility: number | null;
  /** 0 to 100: the smallest of the three APYs by the largest. @example 98.79112607902903 */
  readonly stability: number;
  /** The TVL. */
  readonly tvl: TvlExplanation;
  /**
   * Percent that the largest vaults of the same chain and kind of asset pay; null without any.
   * @example 5.530375833597645
   */
  readonly benchmarkApy: number | null;
  /** The risk score. */
  readonly risk: RiskExplanation;
  /** The composite scores. */
  readonly composite: CompositeExplanations;
}
