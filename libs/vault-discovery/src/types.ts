import type { Job } from '@yield-vault/database';
import type {
  DiscoverRequest,
  DiscoverResponse,
  HistoryRequest,
  HistoryResponse,
  RankedVault,
  Strategy,
  VaultListRequest,
  VaultListResponse,
  VaultReport,
} from '@yield-vault/protocol';
import type { Address } from 'viem';

/** A registry entry that the chain contradicts: it is never listed. */
export interface RejectedVault {
  readonly chain: string;
  readonly address: Address;
  readonly name: string;
  readonly reason: string;
}

export interface Freshness {
  readonly snapshotFreshnessStatus: 'healthy' | 'stale' | 'critical';
  /** ISO 8601; of the chain that is furthest behind. */
  readonly latestSnapshotAt: string | null;
}

/** The served state of a chain, for monitoring. */
export interface ChainState {
  readonly chain: string;
  /** Vaults of the catalogue. */
  readonly vaults: number;
  /** Vaults that discover may return. */
  readonly listed: number;
  /** Entries that the chain contradicts; those that are vaults are among `vaults` too. */
  readonly rejected: number;
  /** Unix seconds; undefined before the first ranking. */
  readonly newestSnapshot: number | undefined;
}

/** Finds, measures and ranks the vaults of the active chains. */
export interface VaultDiscovery {
  /** Reads new rankings from the database, for `startJobs` of `@yield-vault/database`. Every process runs its own. */
  readonly job: Job;
  /** Whether the vaults of a chain are ranked, and one is listed. */
  isRanked(chain: string): boolean;
  /**
   * Filter the ranking in memory.
   *
   * @throws {ChainNotActiveError} for another chain
   * @throws {DataStaleError} before the first ranking of the chain
   */
  discover(query: DiscoverRequest): DiscoverResponse;
  /**
   * @throws {UnknownVaultError}
   * @throws {DataStaleError} for an unknown vault, before every chain is ranked
   * @throws {UpstreamUnavailableError} when the database does not respond
   */
  history(query: HistoryRequest): Promise<HistoryResponse>;
  /**
   * Explain the numbers of a vault. `data.ageSeconds` is computed for each call.
   *
   * @throws {UnknownVaultError}
   * @throws {DataStaleError} for an unknown vault, before every chain is ranked
   * @throws {UpstreamUnavailableError} when the database does not respond
   */
  explain(vaultId: string): Promise<VaultReport>;
  /**
   * A page of the catalogue, by `vaultId` as an integer.
   *
   * @throws {ChainNotActiveError}
   * @throws {InvalidParametersError} for a cursor that no page returned
   * @throws {DataStaleError} before the first ranking of a requested chain
   */
  page(query: VaultListRequest): VaultListResponse;
  /**
   * Any vault of the catalogue, listed or not.
   *
   * @throws {DataStaleError} when there is none, before every chain is ranked; as `byAddress` and `list`
   */
  find(vaultId: string): RankedVault | undefined;
  /** Any vault of the catalogue, listed or not. */
  byAddress(chainId: number, address: Address): RankedVault | undefined;
  /** The whole catalogue of a chain, listed or not. */
  list(chain: string): readonly RankedVault[];
  /** Listed vaults of an asset (symbol in any case), best first. */
  best(chain: string, asset: string, strategy: Strategy): readonly RankedVault[];
  /** Whether the newest snapshot is older than `maxRankingAgeSeconds`; true before the first ranking. */
  isStale(chain: string): boolean;
  freshness(): Freshness;
  /** Entries that the chain contradicts. Those that are vaults are known, and never listed. */
  rejected(): readonly RejectedVault[];
  chainStates(): readonly ChainState[];
}
