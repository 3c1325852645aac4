import type { DiscoverResponse, VaultCandidate } from '@yield-vault/protocol';

/** The text of each candidate, kept as long as its ranking. */
const texts = new WeakMap<VaultCandidate, string>();

function textOf(candidate: VaultCandidate): string {
  const known = texts.get(candidate);
  if (known !== undefined) return known;
  const text = JSON.stringify(candidate);
  texts.set(candidate, text);
  return text;
}

/** Write a discover response as `JSON.stringify` does, but serialize each candidate only once. */
export function toJson({ vaults, ...head }: DiscoverResponse): string {
  const opened = JSON.stringify(head).slice(0, -1);
  return `${opened},"vaults":[${vaults.map(textOf).join(',')}]}`;
}
