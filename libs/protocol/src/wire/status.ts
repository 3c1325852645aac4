import type { Address } from 'viem';

export interface StatusRequest {
  readonly userAddress: Address;
}

/** `pending` while the past of the wallet is being read from the chain. */
export const costBases = ['exact', 'pending'] as const;
export type CostBasis = (typeof costBases)[number];

/** Element of `positions` in status: amounts are decimal strings in human units of the vault's asset. */
export interface Position {
  readonly vaultId: string;
  readonly vaultAddress: Address;
  readonly vaultName: string;
  readonly protocol: string;
  readonly chain: string;
  /** Symbol. */
  readonly asset: string;
  /** Base units of the share. */
  readonly shares: string;
  /** Average-cost basis of the present shares, as far as their purchases have been read. */
  readonly depositedAmount: string;
  readonly costBasis: CostBasis;
  /** Proceeds of a redeem of all shares now. */
  readonly currentValue: string;
  readonly apy: number;
  readonly unrealizedYield: string;
  /** ISO 8601. */
  readonly depositTimestamp: string;
}

/** Totals are in USD, and leave out positions whose asset has no known price. */
export interface StatusResponse {
  readonly positions: readonly Position[];
  readonly totalValueUsd: number;
  readonly totalDeposited: number;
  /** Realised plus unrealised. */
  readonly totalYieldEarned: number;
  /** Payments to the paymasters, as far as they have been read. Not in `totalYieldEarned`. */
  readonly totalGasPaidUsd: number;
  readonly positionCount: number;
}
