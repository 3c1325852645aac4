import { parseUnits } from 'viem';
import type { RegistryEntry, VaultFacts } from '../types.js';

/** About ten dollars, in whole units of the asset. */
const wholeUnits: Readonly<Record<NonNullable<VaultFacts['assetClass']>, string>> = {
  native: '0.01',
  lst: '0.01',
  lrt: '0.01',
  wrapped_btc: '0.0002',
  fiat_stable: '10',
  cdp_stable: '10',
  synthetic_stable: '10',
};

/** How many base units of its asset a vault is first tried with: one whole unit when nobody knows what it is. */
export function probeAmount({ asset, facts }: Pick<RegistryEntry, 'asset' | 'facts'>): bigint {
  const amount = parseUnits(facts.assetClass ? wholeUnits[facts.assetClass] : '1', asset.decimals);
  return amount === 0n ? 1n : amount;
}
