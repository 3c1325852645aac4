import type { RegistryEntry } from './parse-registry.js';

const peggedClasses: ReadonlySet<string> = new Set(['fiat_stable', 'cdp_stable', 'synthetic_stable']);
/** Words in the symbol of a stable asset of another currency. A symbol may only disprove a dollar peg. */
const otherCurrency = /eur|gbp|chf|jpy|cad|aud|sgd|brl|mxn|try|zar|krw|inr|idr|php|ngn|cny|cnh|hkd/i;

export type PeggedEntry = Pick<RegistryEntry, 'asset' | 'facts'>;

/** Find the currency that the asset of a vault is pegged to; null without a peg. */
export function currencyOf({ asset, facts }: PeggedEntry): 'usd' | 'eur' | 'other' | null {
  if (facts.assetClass === undefined || !peggedClasses.has(facts.assetClass)) return null;
  if (!otherCurrency.test(asset.symbol)) return 'usd';
  return /eur/i.test(asset.symbol) ? 'eur' : 'other';
}
