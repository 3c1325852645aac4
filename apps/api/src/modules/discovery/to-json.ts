import type { DiscoverResponse, VaultCandidate } from '@yield-vault/protocol';

/** The JSON of each candidate, kept as long as its ranking. */
const kept = new WeakMap<VaultCandidate, Buffer>();
const comma = Buffer.from(',');
const end = Buffer.from(']}');

function jsonOf(candidate: VaultCandidate): Buffer {
  const known = kept.get(candidate);
  if (known !== undefined) return known;
  const json = Buffer.from(JSON.stringify(candidate));
  kept.set(candidate, json);
  return json;
}

/** Write a discover response as `JSON.stringify` does, but serialize and encode each candidate only once. */
export function toJson({ vaults, ...head }: DiscoverResponse): Buffer {
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"vaults":[`)];
  for (const [index, vault] of vaults.entries()) {
    if (index > 0) parts.push(comma);
    parts.push(jsonOf(vault));
  }
  return Buffer.concat([...parts, end]);
}
