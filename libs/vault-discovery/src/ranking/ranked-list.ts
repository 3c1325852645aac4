import type { ListedVault, VaultCandidate } from '@yield-vault/protocol';

const blockShift = 6;
const blockSize = 1 << blockShift;

/** Vaults best first, with what a search for a least APY needs. */
export interface RankedList {
  readonly vaults: readonly ListedVault[];
  /** The same vaults as they stand in an answer. */
  readonly candidates: readonly VaultCandidate[];
  /** The same vaults' `apy.now`. */
  readonly apys: readonly number[];
  /** The largest of each block of 64 of them. */
  readonly blockMaxima: readonly number[];
}

/** A list that grows while a ranking is built. */
export interface RankedListBuilder extends RankedList {
  add(vault: ListedVault, candidate: VaultCandidate): void;
}

/** Begin a list; vaults are added best first. */
export function buildRankedList(): RankedListBuilder {
  const vaults: ListedVault[] = [];
  const candidates: VaultCandidate[] = [];
  const apys: number[] = [];
  const blockMaxima: number[] = [];
  return {
    vaults,
    candidates,
    apys,
    blockMaxima,
    add: (vault, candidate) => {
      const block = vaults.length >> blockShift;
      const { now } = vault.apy;
      if ((blockMaxima[block] ?? -Infinity) < now) blockMaxima[block] = now;
      vaults.push(vault);
      candidates.push(candidate);
      apys.push(now);
    },
  };
}

/** Take the best candidates that pay at least an APY; blocks that pay less are skipped whole. */
export function takeBest(
  { candidates, apys, blockMaxima }: RankedList,
  limit: number,
  minApy: number | undefined,
): VaultCandidate[] {
  if (minApy === undefined) return candidates.slice(0, limit);
  const taken: VaultCandidate[] = [];
  for (let block = 0; block < blockMaxima.length; block++) {
    if (blockMaxima[block]! < minApy) continue;
    const end = Math.min((block + 1) << blockShift, apys.length);
    for (let index = block * blockSize; index < end; index++) {
      if (apys[index]! < minApy) continue;
      taken.push(candidates[index]!);
      if (taken.length === limit) return taken;
    }
  }
  return taken;
}
