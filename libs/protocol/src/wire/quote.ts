import type { Digits, Integer } from './values.js';
import type { ExitMethod, VaultFees, VaultReward, Warning } from './vault-facts.js';
import type { RiskLevel, Strategy } from './vault.js';

export interface QuoteRequest {
  readonly vaultId: string;
  /** In human units of the vault's asset. */
  readonly amount: string;
  /** 1 to 365. */
  readonly days: number;
}

export interface AlternativesRequest extends QuoteRequest {
  readonly strategy: Strategy;
  /** Default: the level of the vault. */
  readonly riskTolerance?: RiskLevel;
}

/** What holders could redeem, and what a redeem of the amount would pay. */
export interface QuoteExit {
  /** USD that can be redeemed at once; null when unknown. @example 69624981.12 */
  readonly instantUsd: number | null;
  /** The lowest decile of the hourly measurements of 30 days, in USD; null when unknown. @example 69602155.4 */
  readonly p10Usd: number | null;
  /** How it was measured. @example simulated */
  readonly method: ExitMethod;
  /**
   * What a redeem of the amount would pay now, in basis points of its value, after exit fee and limited by what can be
   * redeemed; null when unknown. @example 10000
   */
  readonly receivedBps: Integer | null;
}

/** Expected gas in USD. */
export interface QuoteGas {
  /**
   * Of the deposit. In alternatives: 0 for the vault that holds the amount, and for the others with the redeem from it.
   * @example 0.0241
   */
  readonly inUsd: number;
  /** Of a full redeem. @example 0.0199 */
  readonly outUsd: number;
}

/** What an amount would earn in a vault. */
export interface VaultQuote {
  /** Id of the vault. @example {vaultId} */
  readonly vaultId: Digits;
  /** Symbol of its asset. @example USDC */
  readonly asset: string;
  /** In human units of the asset. @example 25000 */
  readonly amount: string;
  /** Days until the redeem. @example 30 */
  readonly days: Integer;
  /** Base units of the share for the amount now; 0 when the deposit fails. @example 23019742019 */
  readonly sharesOut: Digits;
  /** Decimals of the share. @example 6 */
  readonly shareDecimals: Integer;
  /** APY of the last day, percent. @example 4.6486 */
  readonly apyNow: number;
  /**
   * APY after the deposit, percent: by a simulation of the deposit and the hour after it, at most the highest of the
   * vault's APYs. With the warning APY_ESTIMATED: the APY of the month, diluted by the amount. @example 4.6402
   */
  readonly apyAfter: number;
  /** The exit for the amount. */
  readonly exit: QuoteExit;
  /** Gas of entry and exit. */
  readonly gas: QuoteGas;
  /**
   * APY over the days after gas, exit fee, and what the deposit loses, percent; -100 when they take everything. Rewards
   * are left out. null when the price of the asset is unknown. @example 4.6381
   */
  readonly netApy: number | null;
  /**
   * Days after which the yield has paid for these costs; null when it never does, or when netApy is. For a candidate of
   * alternatives: after which the gain over the vault has paid for the move, and for what the exit costs more. @example 0.01
   */
  readonly breakEvenDays: number | null;
  /** What the vault charges; exitBps is for a redeem of the amount. */
  readonly fees: VaultFees;
  /** Rewards besides the yield. @example [] */
  readonly rewards: readonly VaultReward[];
  /** Reasons to look twice; empty when there is none. @example [] */
  readonly warnings: readonly Warning[];
}

/** Whether an amount should stay in its vault. */
export interface AlternativesResponse {
  /** MOVE when the netApy of `best` is above the netApy of `from`, and the amount can leave now. @example HOLD */
  readonly decision: 'HOLD' | 'MOVE';
  /** The amount where it is: apyAfter is the present rate, and gas.inUsd is 0. */
  readonly from: VaultQuote;
  /** The candidate with the highest netApy that takes the deposit; null when there is none. */
  readonly best: VaultQuote | null;
  /** At most 5, highest netApy first: the best ranked vaults of the same asset and chain. */
  readonly candidates: readonly VaultQuote[];
  /** The decision in plain words. @example Staying nets 4.6381 % a year over 30 days; no other vault nets more. */
  readonly reason: string;
}
