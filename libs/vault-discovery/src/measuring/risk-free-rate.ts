import type { VaultFacts } from '../types.js';
import { currencyOf, type PeggedEntry } from './currency-of.js';

/** A year, as a fraction; set 2026-11. What the asset earns without any vault. */
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

/** Look up the risk-free rate of what a vault holds; of an unknown kind the highest. */
export function riskFreeRate(entry: PeggedEntry): number {
  if (currencyOf(entry) === 'eur') return euroRate;
  return ratesByAssetClass[entry.facts.assetClass ?? 'fiat_stable'];
}
