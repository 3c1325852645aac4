import { hourSeconds } from '@yield-vault/vault-metrics';
import type {
  Anchor,
  Capability,
  CapabilityStore,
  Coverage,
  ExitSample,
  ExitStore,
  Snapshot,
  SnapshotStore,
} from '../src/ports.js';

/** Keeps snapshots in memory, by the rules of the database. */
export interface MemorySnapshotStore extends SnapshotStore {
  /** By vault and hour. */
  readonly rows: Map<string, Snapshot>;
  readonly covered: Map<number, Coverage>;
  /** How often each vault and hour was written. */
  readonly writes: Map<string, number>;
  /** Times before which hours were removed. */
  readonly compacted: number[];
}

export function createMemorySnapshotStore(): MemorySnapshotStore {
  const rows = new Map<string, Snapshot>();
  const writes = new Map<string, number>();
  const compacted: number[] = [];
  const covered = new Map<number, Coverage>();
  const ids = new Map<string, number>();
  let anchor: Anchor | undefined;
  const ofVaults = (vaults: readonly number[], since: number) =>
    [...rows.values()]
      .filter(({ vault, t }) => vaults.includes(vault) && t >= since)
      .sort((a, b) => a.vault - b.vault || a.t - b.t);
  return {
    rows,
    covered,
    writes,
    compacted,
    register: (vaults) => {
      for (const { vaultId } of vaults) if (!ids.has(vaultId)) ids.set(vaultId, ids.size + 1);
      return Promise.resolve(new Map(ids));
    },
    coverage: (vaults) => Promise.resolve(vaults.flatMap((vault) => covered.get(vault) ?? [])),
    save: (snapshots, coverage) => {
      for (const snapshot of snapshots) {
        const key = `${snapshot.vault} ${snapshot.t - (snapshot.t % hourSeconds)}`;
        const before = rows.get(key);
        writes.set(key, (writes.get(key) ?? 0) + 1);
        const isOlder = coverage.length === 0 && before?.origin === snapshot.origin && before.t > snapshot.t;
        if (!before || (before.origin >= snapshot.origin && !isOlder)) rows.set(key, snapshot);
      }
      for (const each of coverage) covered.set(each.vault, each);
      return Promise.resolve();
    },
    readSeries: async function* (vaults, since, decimalsOf) {
      await Promise.resolve();
      for (const vault of vaults) {
        const found = ofVaults([vault], since);
        const scale = 10 ** decimalsOf(vault);
        if (found.length > 0)
          yield {
            vault,
            columns: {
              t: Float64Array.from(found, ({ t }) => t),
              sharePrice: Float64Array.from(found, ({ sharePrice }) => Number(sharePrice) / (scale * 1e6)),
              tvlUsd: Float64Array.from(found, (s) => (Number(s.totalAssets) / scale) * s.priceUsd),
              origin: Uint8Array.from(found, ({ origin }) => origin),
            },
          };
      }
    },
    compact: (olderThan) => Promise.resolve(compacted.push(olderThan)),
    anchor: () => Promise.resolve(anchor),
    setAnchor: (_, next) => {
      anchor = next;
      return Promise.resolve();
    },
    discardChain: () => {
      rows.clear();
      covered.clear();
      anchor = undefined;
      return Promise.resolve();
    },
  };
}

export function createMemoryCapabilityStore(): CapabilityStore & { readonly rows: Map<number, Capability> } {
  const rows = new Map<number, Capability>();
  return {
    rows,
    read: (vaults) => Promise.resolve([...rows.values()].filter(({ vault }) => vaults.includes(vault))),
    save: (capabilities) => {
      for (const capability of capabilities) rows.set(capability.vault, capability);
      return Promise.resolve();
    },
  };
}

/** Keeps the newest exit of each vault and the one before it. */
export function createMemoryExitStore(): ExitStore {
  const rows = new Map<number, ExitSample[]>();
  return {
    read: (vaults) =>
      Promise.resolve(
        new Map(
          vaults.flatMap((vault) => {
            const [newest, previous] = rows.get(vault) ?? [];
            return newest ? [[vault, { newest, previous, p10: undefined, days: [] }] as const] : [];
          }),
        ),
      ),
    save: (exits) => {
      for (const exit of exits) rows.set(exit.vault, [exit, ...(rows.get(exit.vault) ?? [])]);
      return Promise.resolve();
    },
  };
}
