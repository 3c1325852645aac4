import type { RegistryEntry } from '../types.js';

/** What an external chart says of a vault at one time. */
export interface ChartPoint {
  /** Unix seconds. */
  readonly t: number;
  readonly tvlUsd: number;
  /** What a year at the pace of the 24 hours before would earn, without rewards; percent. */
  readonly apyPercent?: number;
  /** Whole assets for one whole share. */
  readonly sharePrice?: number;
}

/** A service that keeps the past of vaults. */
export interface ExternalChart {
  /**
   * @returns oldest first; empty when the service does not know the vault
   * @throws {UpstreamFailure} when it does not answer, or answers nonsense
   */
  history(entry: Pick<RegistryEntry, 'llamaPool'>, signal?: AbortSignal): Promise<readonly ChartPoint[]>;
}
