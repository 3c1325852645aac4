import type { Address } from 'viem';

export interface StatusRequest {
  readonly userAddress: Address;
}

/** Element of `positions` in status: amounts are decimal strings in human units of the vault's asset. */
export interface Position {
  readonly vaultId: string;
  readonly vaultName: string;
  readonly protocol: string;
  readonly chain: string;
  /** Average-cost basis of the present shares. */
  readonly depositedAmount: string;
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
  /** USD, realised plus unrealised. */
  readonly totalYieldEarned: number;
  readonly positionCount: number;
}
