import { isAddressEqual, type Address } from 'viem';
import type { RegistryEntry } from '../types.js';
import type { CheckedEntry, TokensOnChain } from './check-vaults.js';

/**
 * Describe a vault by what the chain says, where that contradicts the registry: its holders see and leave it by these
 * facts. What says no decimals counts in base units. Symbols are those of the registry, because anybody can call a
 * token anything; an asset that it does not name goes by its address.
 *
 * @param registry - entries of the same chain
 */
export function correctEntry(
  entry: RegistryEntry,
  { asset, assetDecimals, shareDecimals }: TokensOnChain,
  registry: readonly RegistryEntry[],
): CheckedEntry {
  const holds = (each: RegistryEntry) => isAddressEqual(each.asset.address, asset);
  const { symbol, decimals } = (holds(entry) ? entry : registry.find(holds))?.asset ?? unknownAsset(asset);
  return {
    entry: { ...entry, asset: { symbol, address: asset, decimals: assetDecimals ?? decimals } },
    shareDecimals: shareDecimals ?? 0,
  };
}

const unknownAsset = (address: Address) => ({ symbol: address, decimals: 0 });
