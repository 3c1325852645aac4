import { isShown, type RegistryEntry } from './parse-registry.js';
import type { SourceRecord } from './catalogue-source.js';

/** The records that one source has of the vaults of a chain. */
export interface SourceResult {
  readonly source: string;
  readonly records: readonly SourceRecord[];
}

/**
 * Add the records of sources to the entries of one chain. A source can add flags and fill missing facts. It never
 * removes a flag, never changes what identifies a vault, and never adds a vault.
 */
export function mergeRecords(
  registry: readonly RegistryEntry[],
  responses: readonly SourceResult[],
): RegistryEntry[] {
  const byAddress = responses.map(({ source, records }) => ({
    source,
    records: new Map(records.map((record) => [record.address.toLowerCase(), record])),
  }));
  return registry.map((entry) => {
    const found = byAddress.flatMap(({ source, records }) => {
      const record = records.get(entry.address.toLowerCase());
      return record ? [{ source, record }] : [];
    });
    return found.length === 0 ? entry : enrich(entry, found);
  });
}

function enrich(
  entry: RegistryEntry,
  found: readonly { readonly source: string; readonly record: SourceRecord }[],
): RegistryEntry {
  const records = found.map(({ record }) => record);
  const named = records.find(({ curators }) => curators?.length)?.curators?.join(', ');
  const curatorName = entry.curatorName ?? (isShown(named) ? named : undefined);
  const llamaPool = entry.llamaPool ?? records.find((record) => record.llamaPool !== undefined)?.llamaPool;
  return {
    ...entry,
    curatorName,
    llamaPool,
    rewards: records.find((record) => record.rewards !== undefined)?.rewards,
    flags: [...new Set([...entry.flags, ...records.flatMap(({ flags }) => flags)])],
    sources: [...new Set([...entry.sources, ...found.map(({ source }) => source)])],
  };
}
