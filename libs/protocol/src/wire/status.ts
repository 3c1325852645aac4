import type { Address, Decimal, Digits, Integer, Timestamp } from './values.js';

export interface StatusRequest {
  readonly userAddress: Address;
}

/** `pending` while the past of the wallet is being read from the chain. */
export const costBases = ['exact', 'pending'] as const;

export type CostBasis = (typeof costBases)[number];

/** What a wallet holds of one vault. Amounts are in units of its asset. */
export interface Position {
  /** Id of the vault. @example {vaultId} */
  readonly vaultId: Digits;
  /** Address of the vault contract. @example {vaultAddress} */
  readonly vaultAddress: Address;
  /** Name of the vault. @example {vaultName} */
  readonly vaultName: string;
  /** Protocol that runs the vault. @example {protocol} */
  readonly protocol: string;
  /** Chain key. @example base */
  readonly chain: string;
  /** Symbol of the underlying asset. @example USDC */
  readonly asset: string;
  /** Shares held, in base units. @example 24500000 */
  readonly shares: Digits;
  /** Average-cost basis of what is held now. @example 25 */
  readonly depositedAmount: Decimal;
  /**
   * pending: older events of the wallet are being read. Until then depositedAmount covers only the purchases
   * that were read, so unrealizedYield is too large. totalYieldEarned leaves the position out.
   * @example exact
   */
  readonly costBasis: CostBasis;
  /** What a redeem of all shares would pay now. @example 25.01 */
  readonly currentValue: Decimal;
  /** Current APY of the vault in percent. @example 4.1 */
  readonly apy: number;
  /** currentValue less depositedAmount; may be negative. @example 0.01 */
  readonly unrealizedYield: Decimal;
  /** When the position was opened. @example 2026-01-01T12:00:00.000Z */
  readonly depositTimestamp: Timestamp;
}

/** The portfolio of a wallet over all active chains. */
export interface StatusResponse {
  /** Active positions. */
  readonly positions: readonly Position[];
  /** Value of all positions whose asset has a known price, in USD. @example 25.01 */
  readonly totalValueUsd: number;
  /** Cost of the same positions, in USD. @example 25 */
  readonly totalDeposited: number;
  /** Yield in USD, realised and unrealised, without gas. @example 0.01 */
  readonly totalYieldEarned: number;
  /**
   * USDC that the wallet paid for gas, in USD. Failed operations count; gas paid in ETH does not. While older
   * events of the wallet are being read, it covers only the payments found so far.
   * @example 0.04
   */
  readonly totalGasPaidUsd: number;
  /** Number of positions. @example 1 */
  readonly positionCount: Integer;
}
