import { getAddress, type Address } from 'viem';
import type { RegistryEntry } from '../types.js';
import type { PricedAsset } from './types.js';

/**
 * Words in the symbol of a stable asset of another currency. A symbol may only take the assumption of a peg away,
 * never give a price.
 */
export const otherCurrency = /eur|gbp|chf|jpy|cad|aud|sgd|brl|mxn|try|zar|krw|inr|idr|php|ngn|cny|cnh|hkd/i;

/**
 * List the assets of vaults, each once. An asset counts as pegged to the dollar when every entry says that it is a
 * fiat stable asset and none names another currency.
 */
export function toPricedAssets(
  entries: readonly Pick<RegistryEntry, 'asset' | 'facts'>[],
): readonly PricedAsset[] {
  const pegs = new Map<Address, boolean>();
  for (const { asset, facts } of entries) {
    const address = getAddress(asset.address);
    const isUsdPegged = facts.assetClass === 'fiat_stable' && !otherCurrency.test(asset.symbol);
    pegs.set(address, isUsdPegged && (pegs.get(address) ?? true));
  }
  return [...pegs].map(([address, isUsdPegged]) => ({ address, isUsdPegged }));
}
