import type { Address } from 'viem';

/** What an external service says of a vault. Nothing of it is trusted; see `createCatalogue`. */
export interface SourceRecord {
  readonly chainId: number;
  readonly address: Address;
  readonly name?: string;
  readonly protocol?: string;
  readonly asset?: { readonly address?: Address; readonly symbol?: string; readonly decimals?: number };
  /** Names, as the service writes them. */
  readonly curators?: readonly string[];
  /** In the words of `badFlags` where the service warns; its own words otherwise. */
  readonly flags: readonly string[];
  /** Percent a year. */
  readonly apy?: number;
  readonly tvlUsd?: number;
  /** Fraction of the assets that can leave at once. */
  readonly liquidity?: number;
  /** Fraction that the largest depositor owns. */
  readonly top1Share?: number;
  readonly inceptBlock?: number;
  /** ISO 8601 date. */
  readonly firstSeen?: string;
  /** Id of its pool at DeFiLlama. */
  readonly llamaPool?: string;
}

/** An external service that knows vaults. */
export interface CatalogueSource {
  readonly name: string;
  /**
   * Ask for every vault of these chains.
   *
   * @throws {SourceError} no usable answer
   */
  load(chainIds: readonly number[], signal: AbortSignal): Promise<readonly SourceRecord[]>;
}
