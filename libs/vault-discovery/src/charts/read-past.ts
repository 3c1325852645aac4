import type { TrackedVault } from '../chain/sample-block.js';
import { priceSources, type Snapshot } from '../ports.js';
import type { AssetPrice, Pricer } from '../prices/types.js';
import { chartToSnapshots, type ChartPast } from './chart-to-snapshots.js';
import type { ExternalChart } from './types.js';

export interface PastWork {
  readonly chart: ExternalChart;
  readonly pricer: Pricer;
  readonly vault: TrackedVault;
  /** The first snapshot that was read from the chain. */
  readonly first: Snapshot;
  /** Unix seconds; what is older is not wanted. */
  readonly since: number;
  readonly signal?: AbortSignal;
}

/**
 * Read the past of a vault that no node keeps from an external chart. TVL is in USD there, so the assets of a day are
 * known only where the price of that day is.
 *
 * @throws {UpstreamFailure} when the service does not answer
 */
export async function readPast({ chart, pricer, vault, first, since, signal }: PastWork): Promise<ChartPast> {
  const points = (await chart.history(vault.entry, signal)).filter(({ t }) => t >= since && t < first.t);
  const prices = new Map<number, AssetPrice>();
  for (const { t } of points) {
    signal?.throwIfAborted();
    const priced = (await pricer.prices({ t }, [])).get(vault.entry.asset.address.toLowerCase());
    if (priced) prices.set(t, priced);
  }
  const priceAt = (t: number) => prices.get(t) ?? { usd: 0, source: priceSources.unknown };
  return chartToSnapshots({ vault, points, first, since, priceAt });
}
