import type { PriceSeries } from '../metrics/series.js';
import type { Snapshot } from '../ports.js';
import type { TrackedVault } from '../chain/sample-block.js';

/** USD that a vault held when it was measured. */
export function tvlUsdOf({ entry }: Pick<TrackedVault, 'entry'>, snapshot: Snapshot): number {
  return (Number(snapshot.totalAssets) / 10 ** entry.asset.decimals) * snapshot.priceUsd;
}

/** Turn snapshots into what the metrics are computed from. Without a USD price no TVL is claimed. */
export function toPriceSeries(
  vault: Pick<TrackedVault, 'entry'>,
  snapshots: readonly Snapshot[],
): PriceSeries {
  return snapshots.map((snapshot) => ({
    t: snapshot.t,
    sharePrice: Number(snapshot.sharePrice),
    tvlUsd: snapshot.priceUsd > 0 ? tvlUsdOf(vault, snapshot) : undefined,
  }));
}
