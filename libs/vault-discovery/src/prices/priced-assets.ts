import { type Address, getAddress, type Hex } from 'viem';
import type { Header } from '../chain/block-finder.js';
import type { Read } from '../chain/read-contracts.js';
import { currencyOf } from '../catalogue/currency-of.js';
import type { PriceSource } from '../ports.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';

/** An asset to price, identified by its contract, never by its symbol. */
export interface PricedAsset {
  readonly address: Address;
  /** Pegged to the dollar: without a price 1.00 is assumed, and marked as assumed. */
  readonly isUsdPegged: boolean;
}

/** The price of one whole unit of an asset, with its source. */
export interface AssetPrice {
  /** 0 when unknown. */
  readonly usd: number;
  readonly source: PriceSource;
}

/** Prices the assets of one chain at a block. */
export interface Pricer {
  /** The reads that it needs at the block, to run in the batch of the vaults. */
  reads(): readonly Read[];
  /**
   * Price every asset at the time of a block. Never throws: missing prices are `priceSources.unknown`.
   *
   * @param results - the data of each of `reads()` at that block, undefined where it failed; empty where no
   * node has the state of that time
   * @returns a price for every asset, by its address in lower case
   */
  prices(
    header: Pick<Header, 't'>,
    results: readonly (Hex | undefined)[],
  ): Promise<ReadonlyMap<string, AssetPrice>>;
}

/**
 * Looks up USD prices of an external service at a time, Unix seconds. Never throws: prices that it cannot find are left
 * out.
 *
 * @returns by address in lower case
 */
export type ExternalPrices = (t: number, assets: readonly Address[]) => Promise<ReadonlyMap<string, number>>;

/**
 * List the assets of vaults, each once. An asset counts as pegged to the dollar if every entry calls it a fiat stable
 * asset and its symbol names no other currency.
 */
export function toPricedAssets(
  entries: readonly Pick<RegistryEntry, 'asset' | 'facts'>[],
): readonly PricedAsset[] {
  const pegs = new Map<Address, boolean>();
  for (const { asset, facts } of entries) {
    const address = getAddress(asset.address);
    const isUsdPegged = facts.assetClass === 'fiat_stable' && currencyOf({ asset, facts }) === 'usd';
    pegs.set(address, isUsdPegged && (pegs.get(address) ?? true));
  }
  return [...pegs].map(([address, isUsdPegged]) => ({ address, isUsdPegged }));
}
