import type { Address, Hash32, Integer, Timestamp } from './values.js';

export const exitMethods = ['simulated', 'protocol', 'idle', 'unknown'] as const;

/**
 * How an exit was measured. simulated: by redeems of a simulated holder; protocol: read from the protocol's own
 * contracts; idle: only the assets in the vault itself, a lower bound.
 */
export type ExitMethod = (typeof exitMethods)[number];

/** What holders could redeem at one block. */
export interface VaultExit {
  /** USD that can be redeemed at once; null when unknown. @example 69624981.12 */
  readonly instantUsd: number | null;
  /** The lowest decile of the hourly measurements of 30 days, in USD; null when unknown. @example 69602155.4 */
  readonly p10Usd: number | null;
  /** How it was measured. @example simulated */
  readonly method: ExitMethod;
  /** When it was measured; null before the first time. @example 2026-01-01T12:00:36.000Z */
  readonly checkedAt: Timestamp | null;
}

/** A simulated redeem. */
export interface ExitPoint {
  /** Size of the redeem in USD. @example 100000 */
  readonly amountUsd: number;
  /** What it pays, in basis points of the share price; 0 when it reverts. @example 10000 */
  readonly receivedBps: Integer;
}

/** The exit of one day. */
export interface ExitDay {
  /** Start of the day, UTC. @example 2026-01-01T00:00:00.000Z */
  readonly timestamp: Timestamp;
  /** The lowest measurement of the day in USD. @example 69602155.4 */
  readonly instantUsd: number;
}

/** What holders could redeem at one block, and in the last 30 days. */
export interface VaultExitReport extends VaultExit {
  /** Percent of the assets that can be redeemed at once; null when unknown. @example 38.1 */
  readonly instantPercent: number | null;
  /** Whether the share price grows within a day without a transaction; null when unknown. @example true */
  readonly accrues: boolean | null;
  /** The newest simulated redeems, smallest first; empty without a simulation. */
  readonly curve: readonly ExitPoint[];
  /** The last 30 days, oldest first; days without a measurement are left out. */
  readonly days: readonly ExitDay[];
}

/** What a vault charges; null when unknown. APYs are net of the first two. */
export interface VaultFees {
  /** Percent of the yield. @example 10 */
  readonly performancePercent: number | null;
  /** Percent of the assets a year. @example 0 */
  readonly managementPercent: number | null;
  /** Basis points of a redeem. @example 0 */
  readonly exitBps: Integer | null;
}

/** A reward that is paid besides the yield of the share price. */
export interface VaultReward {
  /** Token of the reward. @example {usdc} */
  readonly token: Address;
  /** Its symbol. @example MORPHO */
  readonly symbol: string;
  /** Percent a year at present prices. @example 0.84 */
  readonly apr: number;
  /** When the campaign ends; null when unknown. @example 2026-02-01T00:00:00.000Z */
  readonly endsAt: Timestamp | null;
  /** Service that reports it. @example merkl */
  readonly source: string;
}

/** Who can change a vault. immutable: nobody. */
export type AdminKind = 'immutable' | 'dao' | 'timelock' | 'multisig' | 'eoa';

/** A change that was announced and is not in force yet. */
export interface PendingChange {
  /** What changes. @example timelock: 86400 s instead of 259200 s */
  readonly change: string;
  /** Whether it makes the vault riskier. @example true */
  readonly loosens: boolean;
  /** From when on it can be applied; null when unknown. @example 2026-01-03T09:00:00.000Z */
  readonly validAt: Timestamp | null;
}

/** Who can change a vault, and how soon. */
export interface Governance {
  /** chain: read from the contracts; registry: reviewed facts. @example chain */
  readonly source: 'chain' | 'registry';
  /** When it was read or reviewed; null when unknown. @example 2026-01-01T12:00:36.000Z */
  readonly checkedAt: Timestamp | null;
  /** Kind of the account with the most power; null when unknown. @example multisig */
  readonly admin: AdminKind | null;
  /** Seconds between the announcement of a change and its effect; null when unknown. @example 259200 */
  readonly timelockSeconds: Integer | null;
  /** Owner of the vault; null when unknown or none. @example null */
  readonly owner: Address | null;
  /** Curator; null when unknown or none. @example null */
  readonly curator: Address | null;
  /** Account that can veto changes; null when unknown or none. @example null */
  readonly guardian: Address | null;
  /** Signatures that the Safe of the admin needs; null where it is no Safe. @example 3 */
  readonly safeThreshold: Integer | null;
  /** Owners of that Safe; null where it is no Safe. @example 5 */
  readonly safeOwners: Integer | null;
  /** Announced changes, earliest first. @example [] */
  readonly pendingChanges: readonly PendingChange[];
}

/** A market that a vault lends to. */
export interface VaultMarket {
  /** Id of the market. @example {hash32} */
  readonly marketId: Hash32;
  /** Percent of the vault's assets. @example 42.1 */
  readonly sharePercent: number;
  /** Collateral token; null without collateral. @example null */
  readonly collateral: Address | null;
  /** Symbol of the collateral; null without collateral. @example null */
  readonly collateralSymbol: string | null;
  /** Loan-to-value at which borrowers are liquidated, percent. @example 86 */
  readonly lltvPercent: number;
  /** Oracle that prices the collateral; null without one. @example null */
  readonly oracle: Address | null;
  /** Percent of the market's supply that is lent out. @example 91.3 */
  readonly utilisationPercent: number;
}

/** The warnings that prepare and quotes may carry. */
export type WarningCode =
  | 'APY_ESTIMATED'
  | 'DEPOSIT_FAILS'
  | 'EXIT_NOT_COVERED'
  | 'EXIT_THIN'
  | 'LOW_COVERAGE'
  | 'PENDING_CHANGE'
  | 'VAULT_NOT_LISTED';

/** A reason to look twice before signing. It refuses nothing. */
export interface Warning {
  /**
   * APY_ESTIMATED: apyAfter is no simulation; DEPOSIT_FAILS: the simulated deposit reverts, or loses more than 1 %;
   * EXIT_NOT_COVERED: the USDC left in the wallet will not pay for leaving; EXIT_THIN: the vault can pay out less than
   * twice the amount now, or nobody knows what it can pay out; LOW_COVERAGE: less than 60 % of the risk is known;
   * PENDING_CHANGE: a change that makes the vault riskier is announced; VAULT_NOT_LISTED: this service takes no deposits
   * into the vault. @example EXIT_THIN
   */
  readonly code: WarningCode;
  /** The same in plain words. @example Steady USDC can pay out 40000 USD now, less than twice this amount. */
  readonly message: string;
}
