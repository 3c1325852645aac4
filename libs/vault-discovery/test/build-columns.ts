import type { SeriesColumns } from '@yield-vault/vault-metrics';
import type { Snapshot } from '../src/ports.js';

const assetDecimals = 6;
const sharePriceDecimals = 12;

/** Snapshots of one vault of a 6-decimal asset as the store's columns. */
export const buildColumns = (snapshots: readonly Snapshot[]): SeriesColumns => ({
  t: Float64Array.from(snapshots, ({ t }) => t),
  sharePrice: Float64Array.from(snapshots, ({ sharePrice }) => Number(sharePrice) / 10 ** sharePriceDecimals),
  tvlUsd: Float64Array.from(snapshots, ({ totalAssets, priceUsd }) =>
    priceUsd === 0 ? NaN : (Number(totalAssets) / 10 ** assetDecimals) * priceUsd,
  ),
  origin: Uint8Array.from(snapshots, ({ origin }) => origin),
});
