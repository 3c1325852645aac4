import { otherCurrency } from '../prices/to-priced-assets.js';
import type { RegistryEntry } from '../types.js';

const peggedClasses: ReadonlySet<string> = new Set(['fiat_stable', 'cdp_stable', 'synthetic_stable']);

export type PeggedEntry = Pick<RegistryEntry, 'asset' | 'facts'>;

/** Tell what the asset of a vault is meant to be worth one of; null when it is pegged to nothing. */
export function currencyOf({ asset, facts }: PeggedEntry): 'usd' | 'eur' | 'other' | null {
  if (facts.assetClass === undefined || !peggedClasses.has(facts.assetClass)) return null;
  if (!otherCurrency.test(asset.symbol)) return 'usd';
  return /eur/i.test(asset.symbol) ? 'eur' : 'other';
}
