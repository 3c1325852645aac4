import type { Address, Hex } from 'viem';
import type { Header } from '../chain/block-finder.js';
import type { Read } from '../chain/read-contracts.js';
import type { PriceSource } from '../ports.js';

/** An asset whose price is wanted. Assets are told apart by their contract, never by their symbol. */
export interface PricedAsset {
  readonly address: Address;
  /** It is meant to be worth one dollar: 1.00 may be assumed, and said so, when nobody knows its price. */
  readonly isUsdPegged: boolean;
}

/** What one whole unit of an asset costs, and how that is known. */
export interface AssetPrice {
  /** 0 when unknown. */
  readonly usd: number;
  readonly source: PriceSource;
}

/** Prices the assets of one chain at a block. */
export interface Pricer {
  /** What it asks of the chain; run these at the block, in the same batch as the reads of the vaults. */
  reads(): readonly Read[];
  /**
   * Price every asset at the time of a block. Never throws: what is not known is `priceSources.unknown`.
   *
   * @param results - what each of `reads()` returned at that block, undefined where it did not answer; empty where
   * no node has the state of that time
   * @returns a price for every asset, by its address in lower case
   */
  prices(
    header: Pick<Header, 't'>,
    results: readonly (Hex | undefined)[],
  ): Promise<ReadonlyMap<string, AssetPrice>>;
}

/** A price that a service outside of the chain states. */
export interface ExternalPrice {
  readonly usd: number;
  /** When it was so, Unix seconds. */
  readonly t: number;
}

/** A service that knows prices by chain and contract. */
export interface ExternalPrices {
  /**
   * @returns prices by address in lower case; assets that it does not know for sure are left out
   * @throws {UpstreamFailure} when it does not answer, or answers nonsense
   */
  current(chainId: number, assets: readonly Address[]): Promise<ReadonlyMap<string, ExternalPrice>>;
  /** As `current`, for a time in the past, Unix seconds. */
  at(chainId: number, assets: readonly Address[], t: number): Promise<ReadonlyMap<string, ExternalPrice>>;
}
