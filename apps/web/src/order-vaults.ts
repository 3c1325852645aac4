import type { Strategy, VaultSummary } from '@yield-vault/protocol';

/** A vault with its place in the ranking. */
export interface RankedVault extends VaultSummary {
  readonly rank: number;
  readonly score: number;
}

/** Rank vaults as discover does: by composite score, then TVL, then id. */
export function rankVaults(vaults: readonly VaultSummary[], strategy: Strategy): readonly RankedVault[] {
  return vaults
    .map((vault) => ({ ...vault, score: vault.compositeScores[strategy] }))
    .sort(
      (a, b) => b.score - a.score || b.tvlUsd - a.tvlUsd || (BigInt(a.vaultId) < BigInt(b.vaultId) ? -1 : 1),
    )
    .map((vault, index) => ({ ...vault, rank: index + 1 }));
}

/** The value that a column shows. */
export type Value = (vault: RankedVault) => string | number;

/** Order by a column; vaults with equal values stay in the order of the ranking. */
export function orderBy(
  vaults: readonly RankedVault[],
  value: Value,
  direction: 'ascending' | 'descending',
): readonly RankedVault[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return [...vaults].sort((a, b) => sign * compare(value(a), value(b)) || a.rank - b.rank);
}

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
}
