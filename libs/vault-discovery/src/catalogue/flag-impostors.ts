import type { RegistryEntry } from './parse-registry.js';

const impostorFlag = 'impostor-name';

/**
 * Flag vaults with the name of another vault of the same chain and asset. Reviewed vaults may share a name; if none is
 * reviewed, the oldest keeps it.
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

/** Active entries come before candidates. Dates sort as text, unknown ones last. */
const precedence = ({ status, firstSeen }: RegistryEntry): string =>
  `${status === 'candidate' ? 1 : 0} ${firstSeen ?? '9999-12-31'}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Lower-case letters of other scripts that look like Latin ones, and digits that look like letters. A part of the table
 * of Unicode Technical Standard 39.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  е: 'e',
  к: 'k',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  с: 'c',
  т: 't',
  у: 'y',
  х: 'x',
  ѕ: 's',
  і: 'i',
  ј: 'j',
  ԁ: 'd',
  ԛ: 'q',
  ԝ: 'w',
  һ: 'h',
  ӏ: 'l',
  п: 'n',
  г: 'r',
  α: 'a',
  β: 'b',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ɡ: 'g',
  ɑ: 'a',
  ʟ: 'l',
  '0': 'o',
  '1': 'i',
  '|': 'i',
  l: 'i',
};

/**
 * Normalise a name: without case, accents, spaces, punctuation and invisible characters, look-alike letters as one. A
 * reader can confuse two names with the same result.
 */
export function normaliseName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase();
  return [...plain]
    .map((character) => lookAlikes[character] ?? character)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm');
}
