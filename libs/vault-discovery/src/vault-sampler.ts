import type { ActiveChain } from '@yield-vault/chains';
import type { Catalogue } from './catalogue/create-catalogue.js';
import type { Prober } from './capability/create-prober.js';
import type { ExternalChart } from './charts/types.js';
import type {
  BrokenReadStore,
  CapabilityStore,
  DroppedRecord,
  LoggerPort,
  ReportStore,
  SnapshotRetention,
  SnapshotStore,
  StoredReport,
} from './ports.js';
import type { PricedAsset, Pricer } from './prices/types.js';

/** What the sampler writes to. */
export interface SamplerStores {
  readonly snapshots: SnapshotStore;
  readonly brokenReads: BrokenReadStore;
  readonly capabilities: CapabilityStore;
  readonly reports: ReportStore;
  readonly retention: SnapshotRetention;
}

/** Sees to it that of several processes one samples; `createLeadership` of the database fits. */
export interface LeadershipPort {
  /** Do the work whenever this process is elected; the signal tells that it no longer is. Resolves on `stop`. */
  lead(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  isLeader(): boolean;
  stop(): Promise<void>;
}

export interface SamplerOptions {
  /** Seconds between two looks at the head of a chain. */
  readonly sampleIntervalSeconds: number;
  /** How far back a chain is read. */
  readonly backfillHours: number;
  /** Vaults below it are not listed. */
  readonly minTvlUsd: number;
  /** Reads in one call of Multicall3. */
  readonly multicallBatchSize: number;
  /** Gas that one read may burn. */
  readonly readGasLimit: number;
  /** Seconds between two simulated deposits into a vault. */
  readonly probeIntervalSeconds: number;
  /** Age from which the verdict of a simulation no longer counts. */
  readonly maxProbeAgeSeconds: number;
  /** Days for which every hour is kept; after that one snapshot a day. */
  readonly hourlyRetentionDays: number;
}

/** Numbers of a chain as they were computed and stored just now: of all its vaults. */
export interface ChainReports {
  readonly chainId: number;
  /** Of the report store. */
  readonly version: bigint;
  /** Time of the newest snapshot behind them, Unix seconds. */
  readonly newestSnapshot: number;
  readonly reports: readonly StoredReport[];
  readonly dropped: readonly DroppedRecord[];
}

export interface VaultSamplerDeps {
  readonly chains: readonly ActiveChain[];
  readonly catalogue: Pick<Catalogue, 'entries'>;
  readonly stores: SamplerStores;
  /** Left out: this process is the only one. */
  readonly leadership?: LeadershipPort;
  readonly pricerOf: (chain: ActiveChain, assets: readonly PricedAsset[]) => Promise<Pricer> | Pricer;
  /** Left out: no vault is ever found to take deposits. */
  readonly proberOf?: (chain: ActiveChain) => Prober;
  /** Stands in for the past that no node has the state of. */
  readonly chart?: ExternalChart;
  readonly options: SamplerOptions;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
  readonly logger?: LoggerPort;
  /** Told after the numbers were stored. */
  readonly onReports?: (reports: ChainReports) => void | Promise<void>;
  /** Told when this process begins to sample (true) and when another one took over (false). */
  readonly onLead?: (isLeader: boolean) => void;
}

/** Reads the chains into the store, and computes the numbers of every vault. */
export interface VaultSampler {
  /** Begin, once elected. Never throws: what is down is tried again. */
  start(): void;
  /** End, and wait for what is under way. */
  stop(): Promise<void>;
  isLeader(): boolean;
}
