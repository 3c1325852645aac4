import type {
  DiscoverRequest,
  DiscoverResponse,
  HistoryRequest,
  HistoryResponse,
  ListedVault,
  Strategy,
  VaultListRequest,
  VaultListResponse,
  VaultReport,
} from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { riskWords } from './metrics/risk.js';

/** What is known about a vault without asking the chain; absent means unknown. Shares are fractions of 1. */
export interface VaultFacts {
  readonly admin?: 'immutable' | 'dao' | 'timelock' | 'multisig' | 'eoa' | 'other';
  readonly timelockSeconds?: number;
  readonly audits?: number;
  readonly curator?: keyof typeof riskWords.curator;
  readonly strategy?: keyof typeof riskWords.strategy;
  readonly assetClass?: keyof typeof riskWords.assetClass;
  readonly oracle?: keyof typeof riskWords.oracle;
  readonly top1Share?: number;
  readonly liquidity?: number;
  /** ISO 8601 date of the last loss or exploit. */
  readonly lastIncident?: string;
}

/** Who says so: the public source of some facts. */
export interface FactEvidence {
  readonly facts: readonly (keyof VaultFacts)[];
  readonly source: string;
  /** ISO 8601 date on which it was read. */
  readonly date: string;
}

/** An entry of the catalogue. */
export interface RegistryEntry {
  readonly chainId: number;
  readonly chain: string;
  readonly address: Address;
  readonly name: string;
  readonly protocol: string;
  readonly asset: { readonly symbol: string; readonly address: Address; readonly decimals: number };
  /** What the asset calls itself on chain where that is spelled otherwise. */
  readonly symbolAliases?: readonly string[];
  /** A candidate is known and not offered; absent means active. */
  readonly status?: 'active' | 'candidate';
  /** ISO 8601 date on which somebody compared it with its sources. */
  readonly reviewed?: string;
  /** Who chooses what the vault lends to; absent when nobody does or nobody knows. */
  readonly curatorName?: string;
  /** ISO 8601 date; absent when nobody knows its age. */
  readonly firstSeen?: string;
  /** Block of its creation. */
  readonly inceptBlock?: number;
  /** Id of its pool at DeFiLlama. */
  readonly llamaPool?: string;
  readonly facts: VaultFacts;
  readonly evidence?: readonly FactEvidence[];
  readonly flags: readonly string[];
  /** Where the entry is from. */
  readonly sources: readonly string[];
}

/** An entry that the chain contradicts: it is never listed. */
export interface DroppedVault {
  readonly chain: string;
  readonly address: Address;
  readonly name: string;
  readonly reason: string;
}

export interface DiscoveryOptions {
  /** Seconds between two looks at the head of a chain. */
  readonly sampleIntervalSeconds: number;
  /** How far back the chain is read. */
  readonly backfillHours: number;
  /** Age of the newest snapshot from which a chain counts as stale. */
  readonly maxRankingAgeSeconds: number;
  /** Vaults below it are not listed. */
  readonly minTvlUsd: number;
  /** Reads in one call of Multicall3. */
  readonly multicallBatchSize: number;
  /** `external`: another process samples; this one serves what it finds in the database. In-process when left out. */
  readonly sampler?: 'in-process' | 'external';
  /** Seconds between two looks for numbers that another process computed (5). */
  readonly followIntervalSeconds?: number;
  /** Gas that one read of a vault may burn before it is left out (10 million). */
  readonly readGasLimit?: number;
  /** Seconds between two simulated deposits and redeems of a vault (1800). */
  readonly probeIntervalSeconds?: number;
  /** Age from which a simulated deposit no longer counts (21600). */
  readonly maxProbeAgeSeconds?: number;
  /** Days for which every hour is kept (400). */
  readonly hourlyRetentionDays?: number;
  /** External services that add to the catalogue, to prices and to the past; each is off without its URL. */
  readonly sources?: SourceUrls;
}

/** Where external services are. None of them is on the path of a request, and nothing they say is trusted. */
export interface SourceUrls {
  readonly morphoUrl?: string | undefined;
  readonly llamaYieldsUrl?: string | undefined;
  readonly llamaCoinsUrl?: string | undefined;
  readonly kongUrl?: string | undefined;
  readonly vaultsFyiUrl?: string | undefined;
  readonly vaultsFyiKey?: string | undefined;
}

export interface Freshness {
  readonly snapshotFreshnessStatus: 'healthy' | 'stale' | 'critical';
  /** ISO 8601; of the chain that is behind most. */
  readonly latestSnapshotAt: string | null;
}

/** What is served of a chain, for metrics. */
export interface ChainState {
  readonly chain: string;
  /** Vaults of the catalogue. */
  readonly vaults: number;
  /** Those that discover may name. */
  readonly listed: number;
  /** Entries that the chain contradicts; those that are vaults all the same are among `vaults`. */
  readonly dropped: number;
  /** Unix seconds; undefined before the chain was ranked for the first time. */
  readonly newestSnapshot: number | undefined;
  /** Attempts to sample that failed in this process since its start. */
  readonly samplingFailures: number;
}

/** Finds, measures and ranks the vaults of the active chains. */
export interface VaultDiscovery {
  /**
   * Begin sampling, or following the process that samples; resolves when every active chain is ranked (or on
   * `stop`), however long an RPC takes.
   */
  start(): Promise<void>;
  /** End it and wait for what is under way. */
  stop(): Promise<void>;
  isReady(): boolean;
  /**
   * Filter the ranking in memory.
   *
   * @throws {ChainNotActiveError} for another chain
   * @throws {DataStaleError} before the chain was ranked for the first time
   */
  discover(query: DiscoverRequest): DiscoverResponse;
  /**
   * @throws {UnknownVaultError}
   * @throws {UpstreamUnavailableError} when the database does not answer
   */
  history(query: HistoryRequest): Promise<HistoryResponse>;
  /**
   * What the numbers of a vault were computed from; `data.ageSeconds` is told at the time of the question.
   *
   * @throws {UnknownVaultError}
   * @throws {UpstreamUnavailableError} when the database does not answer
   */
  explain(vaultId: string): Promise<VaultReport>;
  /**
   * A page of the catalogue, by `vaultId` as an integer.
   *
   * @throws {ChainNotActiveError}
   * @throws {InvalidParametersError} for a cursor that no page gave
   * @throws {DataStaleError} before the chains asked for were ranked for the first time
   */
  page(query: VaultListRequest): VaultListResponse;
  /** Any vault of the catalogue, listed or not. */
  find(vaultId: string): ListedVault | undefined;
  /** Any vault of the catalogue, listed or not. */
  byAddress(chainId: number, address: Address): ListedVault | undefined;
  /** The whole catalogue of a chain, listed or not. */
  list(chain: string): readonly ListedVault[];
  /** Listed vaults of an asset (symbol in any case), best first. */
  best(chain: string, asset: string, strategy: Strategy): readonly ListedVault[];
  isStale(chain: string): boolean;
  freshness(): Freshness;
  /** Entries of the catalogue that the chain contradicts. What is a vault all the same is known, and never listed. */
  dropped(): readonly DroppedVault[];
  /** Whether this process is the one that samples. */
  isSampling(): boolean;
  chainStates(): readonly ChainState[];
}
