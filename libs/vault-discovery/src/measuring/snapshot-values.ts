import { extraProbeDecimals, type Snapshot } from '../ports.js';
import type { RegistryEntry } from '../types.js';

type Decimals = { readonly asset: Pick<RegistryEntry['asset'], 'decimals'> };

/** Whole assets for one whole share. */
export const sharePriceOf = ({ asset }: Decimals, { sharePrice }: Pick<Snapshot, 'sharePrice'>): number =>
  Number(sharePrice) / 10 ** (asset.decimals + extraProbeDecimals);

/** USD that a vault held when it was measured; a finite number, whatever the chain says. */
export const tvlUsdOf = (
  { asset }: Decimals,
  { totalAssets, priceUsd }: Pick<Snapshot, 'totalAssets' | 'priceUsd'>,
): number => Math.min((Number(totalAssets) / 10 ** asset.decimals) * priceUsd, Number.MAX_VALUE);
