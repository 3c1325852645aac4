import type { RegistryEntry } from '../types.js';

/** What an external chart says of a vault at one time. */
export interface ChartPoint {
  /** Unix seconds. */
  readonly t: number;
  /** What a year would earn without rewards, percent. */
  readonly apyPercent: number;
  readonly tvlUsd: number;
  /** Assets for one whole share, where the service keeps it. */
  readonly sharePrice?: number;
}

/** A service that keeps the past of vaults. */
export interface ExternalChart {
  /**
   * @returns oldest first; empty when the service does not know the vault
   * @throws {UpstreamFailure} when it does not answer, or answers nonsense
   */
  history(entry: RegistryEntry, signal?: AbortSignal): Promise<readonly ChartPoint[]>;
}
