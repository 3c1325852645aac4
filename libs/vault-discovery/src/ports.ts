import type {
  CapabilityResult,
  ExitMethod,
  Governance,
  RankedVault,
  VaultFees,
  VaultMarket,
  VaultReport,
  VaultSummary,
} from '@yield-vault/protocol';
import type { SeriesColumns, SnapshotOrigin } from '@yield-vault/vault-metrics';
import type { Address, Hex } from 'viem';
import type { VaultFacts } from './catalogue/parse-registry.js';

/** How the USD price of a snapshot was found. */
export const priceSources = { feed: 0, assumedPeg: 1, unknown: 2, external: 3, lastGood: 4 } as const;
export type PriceSource = (typeof priceSources)[keyof typeof priceSources];

/**
 * A share price is stored for 10 to this power of whole shares: the price of one share has too few digits for an hour
 * of yield.
 */
export const extraProbeDecimals = 6;

/** One measurement of a vault. */
export interface Snapshot {
  /** Id of the vault inside the store. */
  readonly vault: number;
  /** Time of the block, Unix seconds. */
  readonly t: number;
  readonly block: bigint;
  /** Assets in base units for 10^(shareDecimals + extraProbeDecimals) base units of the share. */
  readonly sharePrice: bigint;
  readonly totalAssets: bigint;
  readonly totalSupply: bigint;
  /** USD for one whole unit of the asset; 0 when unknown. */
  readonly priceUsd: number;
  readonly priceSource: PriceSource;
  readonly origin: SnapshotOrigin;
}

/** Every complete hour of a vault in [from, until) was read; Unix seconds. */
export interface Coverage {
  readonly vault: number;
  readonly from: number;
  readonly until: number;
}

/** A block that was sampled. */
export interface Anchor {
  readonly block: bigint;
  readonly hash: Hex;
}

/**
 * Keeps snapshots, one per vault and UTC hour. A snapshot that is saved with coverage was read at a final block, so it
 * replaces the one of its hour. Any other one replaces an older one. A chart never replaces a snapshot of the chain.
 */
export interface SnapshotStore {
  /** Return the id of each vault; it never changes. */
  register(
    vaults: readonly { readonly vaultId: string; readonly chainId: number; readonly address: Address }[],
  ): Promise<ReadonlyMap<string, number>>;
  coverage(vaults: readonly number[]): Promise<readonly Coverage[]>;
  /** Write snapshots and coverage in one transaction. Coverage that touches the stored one joins it. */
  save(snapshots: readonly Snapshot[], coverage: readonly Coverage[]): Promise<void>;
  /**
   * Read the hours of vaults; the last of each day where retention removed the hours. Vaults without a snapshot are
   * left out.
   *
   * @param decimalsOf decimals of a vault's asset
   */
  readSeries(
    vaults: readonly number[],
    since: number,
    decimalsOf: (vault: number) => number,
  ): AsyncIterable<VaultSeries>;
  anchor(chainId: number): Promise<Anchor | undefined>;
  setAnchor(chainId: number, anchor: Anchor): Promise<void>;
  /** Keep one snapshot a day of snapshots older than this (Unix seconds), for ever. @returns hourly rows removed */
  compact(olderThan: number): Promise<number>;
  /** Delete all data of a chain, including reports and simulations. Vaults keep their ids. */
  discardChain(chainId: number): Promise<void>;
}

/** The series of one vault. */
export interface VaultSeries {
  /** Id of the vault inside the store. */
  readonly vault: number;
  readonly columns: SeriesColumns;
}

/** The newest simulated deposit and redeem of a vault. */
export interface Capability {
  /** Id of the vault inside the store. */
  readonly vault: number;
  readonly result: CapabilityResult;
  /** Unix seconds, by the clock of the machine. */
  readonly checkedAt: number;
  readonly block: bigint;
  readonly failedStep: 'deposit' | 'redeem' | null;
  readonly reason: string | null;
  /** Base units. */
  readonly assetsIn: bigint;
  readonly sharesOut: bigint;
  readonly assetsOut: bigint;
  /** Gas of the deposit and of the redeem, 0 where it did not run. */
  readonly depositGas: number;
  readonly redeemGas: number;
}

export interface CapabilityStore {
  read(vaults: readonly number[]): Promise<readonly Capability[]>;
  /** Keep the newest of each vault. */
  save(capabilities: readonly Capability[]): Promise<void>;
}

/** One measurement of what holders could redeem at a block. Amounts are base units of the asset. */
export interface ExitSample {
  /** Id of the vault inside the store. */
  readonly vault: number;
  /** Unix seconds, by the clock of the machine. */
  readonly checkedAt: number;
  readonly method: ExitMethod;
  /** What a redeem can take out; null when the method is unknown. */
  readonly instant: bigint | null;
  readonly totalAssets: bigint;
  /** What leaving costs, in basis points of the share price; null when unknown. */
  readonly exitBps: number | null;
  /** Whether the share price grows within a day without a transaction; null when unknown. */
  readonly accrues: boolean | null;
  /** Simulated redeems, smallest first. `receivedBps` is 0 for one that reverts. */
  readonly curve: readonly { readonly assets: bigint; readonly receivedBps: number }[];
}

/** The exit of a vault now and in the last 30 days. */
export interface ExitState {
  readonly newest: ExitSample;
  /** The sample of the hour before the newest; undefined without one. */
  readonly previous: Pick<ExitSample, 'method' | 'instant' | 'totalAssets'> | undefined;
  /** The lowest decile of the known amounts, and of their fraction of the assets; undefined without any. */
  readonly p10: { readonly instant: bigint; readonly fraction: number } | undefined;
  /** The lowest amount of each day, oldest first; `t` is the start of the day, Unix seconds. */
  readonly days: readonly { readonly t: number; readonly instant: bigint }[];
}

/** Keeps one exit per vault and UTC hour for 30 days. */
export interface ExitStore {
  read(vaults: readonly number[]): Promise<ReadonlyMap<number, ExitState>>;
  /** The newest sample of an hour replaces the others. Samples of a vault older than 30 days are deleted. */
  save(exits: readonly ExitSample[]): Promise<void>;
}

/** Some real holders of each vault, by its address in lower case, those to prefer first. A vault without any may be left out. */
export type HoldersOf = (
  chainId: number,
  vaults: readonly Address[],
) => Promise<ReadonlyMap<string, readonly Address[]>>;

/** What the contracts of a vault say at one block. */
export interface ContractFacts {
  /** Id of the vault inside the store. */
  readonly vault: number;
  /** Unix seconds, by the clock of the machine. */
  readonly checkedAt: number;
  readonly governance: Omit<Governance, 'source' | 'checkedAt'>;
  /** Others can change the vault, too, of whom the contracts say nothing. */
  readonly isAdminPartial: boolean;
  readonly fees: Omit<VaultFees, 'exitBps'>;
  /** Largest first; empty without a look-through. */
  readonly markets: readonly VaultMarket[];
  /** In the words of the registry; those that the chain does not show are left out. */
  readonly words: Pick<VaultFacts, 'curator' | 'oracle' | 'strategy'>;
  /** They only inform. */
  readonly flags: readonly string[];
}

export interface ContractFactsStore {
  read(vaults: readonly number[]): Promise<readonly ContractFacts[]>;
  /** Keep the newest of each vault. */
  save(facts: readonly ContractFacts[]): Promise<void>;
}

/** A registry entry that the chain contradicts. */
export interface RejectedRecord {
  readonly chainId: number;
  readonly address: Address;
  readonly name: string;
  readonly reason: string;
}

/** The numbers of a vault that every process serves. */
export interface SummaryRow {
  /** Id of the vault inside the store. */
  readonly vault: number;
  readonly summary: VaultSummary;
  /** USD for one whole unit of the asset; 0 when unknown. */
  readonly assetPriceUsd: number;
  /** Gas of a simulated deposit and redeem; 0 when unknown. */
  readonly gas: RankedVault['gas'];
}

/** The numbers of a vault with their explanation, as the sampler computes them. */
export interface StoredReport extends SummaryRow {
  /** `data.ageSeconds` has no meaning here: the server sets it in each response. */
  readonly report: VaultReport;
}

/** How far the computed numbers of a chain are. */
export interface ReportProgress {
  /** Grows with every `save`. */
  readonly version: bigint;
  /** Time of the newest snapshot behind the numbers, Unix seconds. */
  readonly newestSnapshot: number;
}

/** Carries computed numbers from the sampler to every process that serves them. */
export interface ReportStore {
  /** Replace all reports and rejected entries of a chain at once. @returns the new version */
  save(
    chainId: number,
    newestSnapshot: number,
    reports: readonly StoredReport[],
    rejected: readonly RejectedRecord[],
  ): Promise<bigint>;
  /** Undefined before the first `save`, and after the chain was discarded. */
  progress(chainId: number): Promise<ReportProgress | undefined>;
  /** The numbers of every vault of a chain. */
  summaries(chainId: number): Promise<readonly SummaryRow[]>;
  report(vaultId: string): Promise<VaultReport | undefined>;
  rejected(chainId: number): Promise<readonly RejectedRecord[]>;
}
