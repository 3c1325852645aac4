import type { PriceSeries } from '../metrics/series.js';
import { snapshotOrigins, type SeriesColumns } from '../ports.js';

/** Leave out what an external chart stands in for; the given columns where that is nothing. */
export function chainSamplesOf(columns: SeriesColumns): PriceSeries {
  const { t, sharePrice, tvlUsd, origin } = columns;
  if (!origin.includes(snapshotOrigins.externalChart)) return columns;
  const isOfChain = (_: number, index: number) => origin[index] === snapshotOrigins.chain;
  return {
    t: t.filter(isOfChain),
    sharePrice: sharePrice.filter(isOfChain),
    tvlUsd: tvlUsd.filter(isOfChain),
  };
}
