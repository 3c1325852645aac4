import type {
  DiscoverRequest,
  DiscoverResponse,
  HistoryRequest,
  HistoryResponse,
  ListedVault,
  Strategy,
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
}

/** An entry of the registry file. */
export interface RegistryEntry {
  readonly chainId: number;
  readonly chain: string;
  readonly address: Address;
  readonly name: string;
  readonly protocol: string;
  readonly asset: { readonly symbol: string; readonly address: Address; readonly decimals: number };
  /** ISO 8601 date; absent when nobody knows its age. */
  readonly firstSeen?: string;
  readonly facts: VaultFacts;
  readonly flags: readonly string[];
}

/** An entry that the chain contradicts. */
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
  /** Seconds between two simulated deposits into a vault (600). */
  readonly probeIntervalSeconds?: number;
}

export interface Freshness {
  readonly snapshotFreshnessStatus: 'healthy' | 'stale' | 'critical';
  /** ISO 8601; of the chain that is behind most. */
  readonly latestSnapshotAt: string | null;
}

/** Finds, measures and ranks the vaults of the active chains. */
export interface VaultDiscovery {
  /** Begin sampling; resolves when every active chain is ranked (or on `stop`), however long an RPC takes. */
  start(): Promise<void>;
  /** End sampling and wait for what is under way. */
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
  /** Entries of the registry that were left out because the chain contradicts them. */
  dropped(): readonly DroppedVault[];
}
