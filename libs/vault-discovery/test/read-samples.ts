import type { BookedSample } from '@yield-vault/vault-metrics';
import { toSample } from '../src/measuring/measurement.js';
import type { Snapshot, SnapshotStore } from '../src/ports.js';

const decimals = 6;

/** The stored samples of vaults whose asset has 6 decimals. */
export async function readSamples(
  store: Pick<SnapshotStore, 'readSeries'>,
  vaults: readonly number[],
  since = 0,
): Promise<BookedSample[]> {
  const found: BookedSample[] = [];
  for await (const { columns } of store.readSeries(vaults, since, () => decimals))
    columns.t.forEach((t, index) =>
      found.push({
        t,
        sharePrice: columns.sharePrice[index]!,
        tvlUsd: columns.tvlUsd[index]!,
        origin: columns.origin[index] as BookedSample['origin'],
      }),
    );
  return found;
}

export const toSamples = (snapshots: readonly Snapshot[]): BookedSample[] =>
  snapshots.map((snapshot) => toSample({ asset: { decimals } }, snapshot));
