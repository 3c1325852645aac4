import { otherCurrency } from '../prices/priced-assets.js';
import type { RegistryEntry, VaultFacts } from '../types.js';

const peggedClasses: ReadonlySet<string> = new Set(['fiat_stable', 'cdp_stable', 'synthetic_stable']);

export type PeggedEntry = Pick<RegistryEntry, 'asset' | 'facts'>;

/** Find the currency that the asset of a vault is pegged to; null without a peg. */
export function currencyOf({ asset, facts }: PeggedEntry): 'usd' | 'eur' | 'other' | null {
  if (facts.assetClass === undefined || !peggedClasses.has(facts.assetClass)) return null;
  if (!otherCurrency.test(asset.symbol)) return 'usd';
  return /eur/i.test(asset.symbol) ? 'eur' : 'other';
}

/** Yield of the asset without any vault: a year, as a fraction; set 2026-11. */
const ratesByAssetClass: Readonly<Record<NonNullable<VaultFacts['assetClass']>, number>> = {
  fiat_stable: 0.04,
  cdp_stable: 0.04,
  synthetic_stable: 0.04,
  native: 0.025,
  lst: 0.025,
  lrt: 0.025,
  wrapped_btc: 0,
};
const euroRate = 0.02;

/** Look up the risk-free rate of a vault's asset; an unknown kind gets the highest. */
export function riskFreeRate(entry: PeggedEntry): number {
  if (currencyOf(entry) === 'eur') return euroRate;
  return ratesByAssetClass[entry.facts.assetClass ?? 'fiat_stable'];
}
