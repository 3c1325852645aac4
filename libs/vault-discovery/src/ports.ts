import type { CapabilityVerdict, VaultReport, VaultSummary } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** Where progress and trouble are told; a pino logger fits. */
export interface LoggerPort {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Tells nobody. */
export const silentLogger: LoggerPort = { info: () => undefined, warn: () => undefined };

/** How the USD price of a snapshot was found. */
export const priceSources = { feed: 0, assumedPeg: 1, unknown: 2, external: 3, lastGood: 4 } as const;
export type PriceSource = (typeof priceSources)[keyof typeof priceSources];

/** Where a snapshot is from: the chain itself, or the chart of an external service where no node has the state. */
export const snapshotOrigins = { chain: 0, externalChart: 1 } as const;
export type SnapshotOrigin = (typeof snapshotOrigins)[keyof typeof snapshotOrigins];

/**
 * A share price is kept for 10 to this power of whole shares. That of one share has too few digits: an hour of yield is
 * lost in its rounding.
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
 * Keeps snapshots, one per vault and UTC hour. One that is saved together with coverage of its hour is settled, and
 * replaces what stands; any other one does so while the hour is not covered, and where it is the newest. What the
 * chain said never gives way to a chart. So two samplers do no harm, nor does a chain that is reorganised.
 */
export interface SnapshotStore {
  /** Give each vault its id, the same for ever. */
  register(
    vaults: readonly { readonly vaultId: string; readonly chainId: number; readonly address: Address }[],
  ): Promise<ReadonlyMap<string, number>>;
  coverage(vaults: readonly number[]): Promise<readonly Coverage[]>;
  /** Write snapshots and how far they reach at once, or neither. Coverage that touches what is known joins it. */
  save(snapshots: readonly Snapshot[], coverage: readonly Coverage[]): Promise<void>;
  /** Oldest first within each vault; the last of each day where the hours are no longer kept. */
  read(vaults: readonly number[], since: number): Promise<readonly Snapshot[]>;
  /**
   * The same for many vaults, as columns and a few vaults at a time; those without a snapshot are left out.
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
  /** Forget everything that was read from a chain, reports and verdicts included. */
  discardChain(chainId: number): Promise<void>;
}

/** What metrics are computed from, column by column; oldest first, times strictly increasing. */
export interface SeriesColumns {
  /** Unix seconds. */
  readonly t: Float64Array;
  /** Whole assets for one whole share. */
  readonly sharePrice: Float64Array;
  /** NaN where there is no price. */
  readonly tvlUsd: Float64Array;
  /** `snapshotOrigins`. */
  readonly origin: Uint8Array;
}

/** The series of one vault. */
export interface VaultSeries {
  /** Id of the vault inside the store. */
  readonly vault: number;
  readonly columns: SeriesColumns;
}

/** A read of a vault that the chain does not answer: it is left out of batches until it is tried again. */
export interface BrokenRead {
  /** Id of the vault inside the store. */
  readonly vault: number;
  /** Name of the function, e.g. `totalAssets`. */
  readonly functionName: string;
  readonly sinceBlock: bigint;
  /** Unix seconds. */
  readonly retryAt: number;
}

/** Remembers which reads do not work. */
export interface BrokenReadStore {
  read(vaults: readonly number[]): Promise<readonly BrokenRead[]>;
  save(broken: readonly BrokenRead[]): Promise<void>;
  /** They work again. */
  clear(mended: readonly Pick<BrokenRead, 'vault' | 'functionName'>[]): Promise<void>;
}

/** The newest simulated deposit and redeem of a vault. */
export interface Capability {
  /** Id of the vault inside the store. */
  readonly vault: number;
  readonly verdict: CapabilityVerdict;
  /** Unix seconds, by the clock of the machine. */
  readonly checkedAt: number;
  readonly block: bigint;
  readonly failedStep: 'deposit' | 'redeem' | null;
  readonly reason: string | null;
  /** Base units. */
  readonly assetsIn: bigint;
  readonly sharesOut: bigint;
  readonly assetsOut: bigint;
}

export interface CapabilityStore {
  read(vaults: readonly number[]): Promise<readonly Capability[]>;
  /** The newest of each vault stays. */
  save(capabilities: readonly Capability[]): Promise<void>;
}

/** An entry of the catalogue that the chain contradicts. */
export interface DroppedRecord {
  readonly chainId: number;
  readonly address: Address;
  readonly name: string;
  readonly reason: string;
}

/** Numbers of a vault as one process computed them and every process serves them. */
export interface StoredReport {
  /** Id of the vault inside the store. */
  readonly vault: number;
  readonly summary: VaultSummary;
  /** USD for one whole unit of the asset; 0 when unknown. */
  readonly assetPriceUsd: number;
  /** Without `data.ageSeconds` meaning anything: it is told at the time of the question. */
  readonly report: VaultReport;
}

/** How far the computed numbers of a chain are. */
export interface ReportProgress {
  /** Grows with every `save`. */
  readonly version: bigint;
  /** Time of the newest snapshot behind them, Unix seconds. */
  readonly newestSnapshot: number;
  /** Version at which reports were last taken away: who knows less than it loads all of them anew. */
  readonly replacedAt: bigint;
}

/** What a process reads to serve numbers that another one computed. */
export interface SummaryRow {
  readonly vault: number;
  readonly summary: VaultSummary;
  readonly assetPriceUsd: number;
}

/** Carries computed numbers from the sampler to every process that serves them. */
export interface ReportStore {
  /** Replace the reports of these vaults, and what is dropped on the chain, at once. @returns the new version */
  save(
    chainId: number,
    newestSnapshot: number,
    reports: readonly StoredReport[],
    dropped: readonly DroppedRecord[],
  ): Promise<bigint>;
  /** Forget the reports of the chain's other vaults: what left the catalogue is no longer served. */
  retain(chainId: number, vaults: readonly number[]): Promise<void>;
  /** Undefined before the first `save`, and after a chain was discarded. */
  progress(chainId: number): Promise<ReportProgress | undefined>;
  /** Those whose numbers changed after a version; all of them for 0n. */
  changedSince(chainId: number, version: bigint): Promise<readonly SummaryRow[]>;
  report(vaultId: string): Promise<VaultReport | undefined>;
  dropped(chainId: number): Promise<readonly DroppedRecord[]>;
}

/** Housekeeping of stored snapshots. */
export interface SnapshotRetention {
  /** Keep one snapshot a day of what is older than this, for ever; Unix seconds. @returns hourly rows removed */
  compact(olderThan: number): Promise<number>;
}
