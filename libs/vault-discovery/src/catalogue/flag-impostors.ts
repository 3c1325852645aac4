import type { RegistryEntry } from '../types.js';
import { normaliseName } from './normalise-name.js';

const impostorFlag = 'impostor-name';

/**
 * Flag vaults that bear the name of another one of the same chain and asset. Reviewed vaults may share a name;
 * where none of them is reviewed, the oldest keeps it.
 */
export function flagImpostors(entries: readonly RegistryEntry[]): RegistryEntry[] {
  const groups = new Map<string, RegistryEntry[]>();
  for (const entry of entries) {
    const key = nameKey(entry);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const impostors = new Set([...groups.values()].flatMap(impostorsOf));
  return entries.map((entry) =>
    impostors.has(entry) && !entry.flags.includes(impostorFlag)
      ? { ...entry, flags: [...entry.flags, impostorFlag] }
      : entry,
  );
}

function nameKey({ chainId, asset, name }: RegistryEntry): string {
  return `${chainId} ${asset.address.toLowerCase()} ${normaliseName(name)}`;
}

function impostorsOf(group: readonly RegistryEntry[]): readonly RegistryEntry[] {
  const unreviewed = group.filter(({ reviewed }) => reviewed === undefined);
  if (unreviewed.length < group.length) return unreviewed;
  return [...unreviewed].sort((a, b) => compare(precedence(a), precedence(b))).slice(1);
}

/** What a source made known never takes a name from what the operator offers. Dates sort as text, unknown ones last. */
const precedence = ({ status, firstSeen }: RegistryEntry): string =>
  `${status === 'candidate' ? 1 : 0} ${firstSeen ?? '9999-12-31'}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
