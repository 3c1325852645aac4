import { inChunks } from '../batching.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import {
  createSeriesBook,
  keptSeconds,
  type SeriesColumns,
  snapshotOrigins,
} from '@yield-vault/vault-metrics';
import { toSample } from '../measuring/measurement.js';
import type { Snapshot, SnapshotStore } from '../ports.js';

const snapshotsAtOnce = 500;

/** The samples of the tracked vaults of a chain, in memory. */
export interface ChainMemory {
  /** Track these vaults alone. @returns those whose stored samples are not loaded yet */
  track(vaults: readonly TrackedVault[]): readonly TrackedVault[];
  /** Load the stored samples of tracked vaults. */
  load(vaults: readonly TrackedVault[], now: number): Promise<void>;
  /** Add snapshots of tracked vaults. */
  record(snapshots: readonly Snapshot[]): Promise<void>;
  series(vault: number): SeriesColumns;
  /** The newest snapshot of the chain that this process read. */
  newest(vault: number): Snapshot | undefined;
  /** Time of the newest snapshot of all vaults, Unix seconds. */
  newestTime(): number | undefined;
  forgetOlder(now: number): void;
}

/** Create an empty memory. Times are Unix seconds. */
export function createChainMemory(store: Pick<SnapshotStore, 'readSeries'>): ChainMemory {
  const book = createSeriesBook();
  const newest = new Map<number, Snapshot>();
  const loaded = new Set<number>();
  let tracked: ReadonlyMap<number, TrackedVault> = new Map();

  const recordOne = (snapshot: Snapshot) => {
    const vault = tracked.get(snapshot.vault);
    if (vault) book.add(vault.id, toSample(vault.entry, snapshot));
    const before = newest.get(snapshot.vault)?.t ?? -Infinity;
    if (snapshot.origin === snapshotOrigins.chain && before <= snapshot.t)
      newest.set(snapshot.vault, snapshot);
  };

  return {
    track: (vaults) => {
      tracked = new Map(vaults.map((vault) => [vault.id, vault]));
      for (const id of loaded)
        if (!tracked.has(id)) {
          book.drop(id);
          newest.delete(id);
          loaded.delete(id);
        }
      return vaults.filter(({ id }) => !loaded.has(id));
    },
    load: async (vaults, now) => {
      const ids = vaults.map(({ id }) => id);
      const decimalsOf = (id: number) => tracked.get(id)!.entry.asset.decimals;
      for await (const { vault, columns } of store.readSeries(ids, now - keptSeconds, decimalsOf))
        book.load(vault, columns);
      for (const id of ids) loaded.add(id);
    },
    record: async (snapshots) => {
      for await (const part of inChunks(snapshots, snapshotsAtOnce)) part.forEach(recordOne);
    },
    series: (vault) => book.columns(vault),
    newest: (vault) => newest.get(vault),
    newestTime: () =>
      newest.size === 0 ? undefined : [...newest.values()].reduce((latest, { t }) => Math.max(latest, t), 0),
    forgetOlder: (now) => book.forgetBefore(now - keptSeconds),
  };
}
