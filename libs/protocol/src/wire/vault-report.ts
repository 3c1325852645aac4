import type { Address, ChainId, Digits, Integer, Timestamp } from './values.js';
import type { Explanation } from './vault-explanation.js';
import type { Apy, Asset, Risk, Sharpe, Tier } from './vault.js';
import type {
  Governance,
  VaultExit,
  VaultExitReport,
  VaultFees,
  VaultMarket,
  VaultReward,
} from './vault-facts.js';

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

/** The newest simulated deposit and redeem. */
export interface VaultCapability {
  /** What it showed. @example ok */
  readonly verdict: CapabilityResult;
  /** When it was simulated. @example 2026-01-01T11:40:12.000Z */
  readonly checkedAt: Timestamp;
  /** Block on which. @example 929 */
  readonly blockNumber: Integer;
  /** The step that did not work; null when both did. @example null */
  readonly failedStep: 'deposit' | 'redeem' | null;
  /** Decoded revert reason; null without one. @example null */
  readonly reason: string | null;
  /** Base units of the asset that were deposited. @example 10000000 */
  readonly assetsIn: Digits;
  /** Base units of the share that came of it. @example 9165549 */
  readonly sharesOut: Digits;
  /** Base units of the asset that these shares paid. @example 9999999 */
  readonly assetsOut: Digits;
}

/** Ranking score from 0 to 100 by strategy. */
export interface CompositeScores {
  /** Of maximize_apy. @example 59.59 */
  readonly maximize_apy: number;
  /** Of minimize_risk. @example 85.71 */
  readonly minimize_risk: number;
  /** Of balanced. @example 71 */
  readonly balanced: number;
}

/** A vault of the catalogue, whether discover names it or not. */
export interface VaultSummary {
  /** Stable id. @example {vaultId} */
  readonly vaultId: Digits;
  /** Address of the vault contract. @example {vaultAddress} */
  readonly vaultAddress: Address;
  /** Name of the vault. @example {vaultName} */
  readonly name: string;
  /** Protocol that runs the vault. @example {protocol} */
  readonly protocol: string;
  /** What is deposited. */
  readonly asset: Asset;
  /** Chain key. @example base */
  readonly chain: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Decimals of the base units of its share. @example 6 */
  readonly shareDecimals: Integer;
  /** APY in percent. */
  readonly apy: Apy;
  /** Risk of the vault. */
  readonly risk: Risk;
  /** Return for its variation. */
  readonly sharpe: Sharpe;
  /** Assets under management, in USD. @example 183213107.07 */
  readonly tvlUsd: number;
  /** Whole assets for one whole share at the newest sample; 0 before the first. @example 1.0862 */
  readonly sharePrice: number;
  /** Class of the vault, prime first. @example prime */
  readonly tier: Tier;
  /** What discover orders by. */
  readonly compositeScores: CompositeScores;
  /** Whether discover may name it. @example true */
  readonly listed: boolean;
  /** Why it is not listed; empty when it is. @example [] */
  readonly exclusions: readonly string[];
  /** Warnings of the catalogue and the contracts, such as `pending-change`. @example [] */
  readonly flags: readonly string[];
  /** What holders could redeem at once. */
  readonly exit: VaultExit;
  /** What the vault charges. */
  readonly fees: VaultFees;
  /** Rewards besides the yield; apy and scores leave them out. @example [] */
  readonly rewards: readonly VaultReward[];
  /** Percent of the risk weights whose input is known. @example 100 */
  readonly coverage: number;
  /** Who can change the vault. */
  readonly governance: Governance;
  /** Markets that the vault lends to, largest first; empty when unknown. @example [] */
  readonly markets: readonly VaultMarket[];
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

/** A page of the catalogue. */
export interface VaultListResponse {
  /** Vaults on this page. @example 1 */
  readonly count: Integer;
  /** Vaults on all pages. @example 1 */
  readonly total: Integer;
  /** Pass it as cursor for the next page; null on the last one. @example null */
  readonly nextCursor: string | null;
  /** Ordered by vaultId as an integer, so that pages stay where they are while numbers move. */
  readonly vaults: readonly VaultSummary[];
}

/** A time without a sample. */
export interface Gap {
  /** Last sample before it. @example 2026-01-01T05:59:48.000Z */
  readonly from: Timestamp;
  /** First sample after it. @example 2026-01-01T11:59:48.000Z */
  readonly until: Timestamp;
}

/** Inputs of the numbers, and their age. */
export interface VaultData {
  /** Time of the oldest sample; null before the first. @example 2025-11-26T12:00:00.000Z */
  readonly firstSnapshotAt: Timestamp | null;
  /** Time of the newest sample; null before the first. @example 2026-01-01T12:00:36.000Z */
  readonly latestSnapshotAt: Timestamp | null;
  /** Seconds since the newest sample, as of this response; null before the first. @example 36 */
  readonly ageSeconds: Integer | null;
  /** Block of the newest sample; null before the first. @example 929 */
  readonly blockNumber: Integer | null;
  /** Samples. @example 773 */
  readonly snapshots: Integer;
  /** Those that the chart of an external service stands in for. @example 0 */
  readonly externalSnapshots: Integer;
  /** More than 2.5 hours without a sample within the last 31 days, newest first, at most 20. */
  readonly gaps: readonly Gap[];
  /** When the numbers were computed. @example 2026-01-01T12:00:37.000Z */
  readonly computedAt: Timestamp;
}

/** A vault with everything that its numbers were computed from. */
export interface VaultReport extends VaultSummary {
  /** What holders could redeem at once, now and in the last 30 days. */
  readonly exit: VaultExitReport;
  /** Where the catalogue has the vault from. @example ["registry"] */
  readonly sources: readonly string[];
  /** The samples. */
  readonly data: VaultData;
  /** How the numbers came about. */
  readonly explanation: Explanation;
  /** Whether money gets in and out again; null before the first simulation. */
  readonly capability: VaultCapability | null;
}
