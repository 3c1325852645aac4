import type { Address } from 'viem';

/** Facts about a vault from an external service. They can only add warnings and fill missing facts. */
export interface SourceRecord {
  readonly chainId: number;
  readonly address: Address;
  /** Names, as the service writes them. */
  readonly curators?: readonly string[];
  /** In the words of `badFlags` where the service warns; its own words otherwise. */
  readonly flags: readonly string[];
  /** Id of its pool at DeFiLlama. */
  readonly llamaPool?: string;
}

/** An external service that knows vaults. */
export interface CatalogueSource {
  readonly name: string;
  /**
   * Load the records of these chains.
   *
   * @throws {UpstreamFailure} when the service is down or its response has another shape
   */
  load(chainIds: readonly number[], signal: AbortSignal): Promise<readonly SourceRecord[]>;
}

/** The flag of a known vault that the deployment does not offer: outside of its profile, or no longer in its registry. */
export const notOffered = 'not-offered';

/** Flags that keep a vault out of discover. Any other flag only informs. */
export const badFlags: ReadonlySet<string> = new Set([
  'async',
  'corrupted',
  'deprecated',
  'exploited',
  'impostor-name',
  'morpho-delisted',
  notOffered,
  'paused',
  'red-warning',
  'retired',
  'whitelist',
]);
