import type { Address, Decimal, Digits, Integer, Timestamp } from './values.js';

export interface StatusRequest {
  readonly userAddress: Address;
}

export interface StatusBatchRequest {
  /** 1 to 50 wallets. */
  readonly userAddresses: readonly Address[];
}

/** `pending` while the past of the wallet is being read from the chain. */
export type CostBasis = 'exact' | 'pending';

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
  /** Shares held, in base units of the share token. @example 24500000 */
  readonly shares: Digits;
  /** Average-cost basis of the shares held now, in human units of the asset. @example 25 */
  readonly depositedAmount: Decimal;
  /**
   * pending: older events of the wallet are being read. Until then depositedAmount covers only the purchases
   * that were read, so unrealizedYield is too large. totalYieldEarned leaves the position out.
   * @example exact
   */
  readonly costBasis: CostBasis;
  /** What a redeem of all shares would pay now, in human units of the asset. @example 25.01 */
  readonly currentValue: Decimal;
  /** Current APY of the vault in percent. @example 4.1 */
  readonly apy: number;
  /** currentValue less depositedAmount; may be negative. @example 0.01 */
  readonly unrealizedYield: Decimal;
  /** When the position was opened. @example 2026-01-01T12:00:00.000Z */
  readonly depositTimestamp: Timestamp;
}

/** What the wallet still needs before it can sign an intent. */
export type WalletSetup = 'none' | 'modules-missing' | 'ready';

/** A balance that earns nothing. */
export interface IdleBalance {
  /** Symbol of the asset. @example USDC */
  readonly asset: string;
  /** In units of the asset. @example 12.5 */
  readonly amount: Decimal;
}

/** The wallet on one chain. */
export interface ChainWallet {
  /**
   * none: the wallet does not delegate to our account. modules-missing: it does, and lacks a default module or the
   * allowance of the paymaster. ready: prepare returns intents. @example ready
   */
  readonly setup: WalletSetup;
  /** Balances above 0 of the assets of listed vaults. */
  readonly idle: readonly IdleBalance[];
  /**
   * Expected gas of a full redeem from each vault that the wallet holds, in USD; 0 without a position, null while the
   * paymaster does not respond. @example 0.0119
   */
  readonly exitGasUsd: number | null;
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
  /** Setup, idle balances and exit cost of the wallet, by chain key. */
  readonly wallets: Readonly<Record<string, ChainWallet>>;
}

/** The portfolio of one of several wallets. */
export interface WalletStatus extends StatusResponse {
  /** The wallet. @example {agentAddress} */
  readonly userAddress: Address;
}

/** The portfolios of several wallets. */
export interface StatusBatchResponse {
  /** In the order of the request. */
  readonly wallets: readonly WalletStatus[];
}
