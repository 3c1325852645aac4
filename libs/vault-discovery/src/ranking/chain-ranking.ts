import { strategies, type ListedVault, type Strategy } from '@yield-vault/protocol';

/** The vaults of a chain in every order that is asked for. */
export interface ChainRanking {
  /** The whole catalogue, in the order of the registry. */
  readonly all: readonly ListedVault[];
  readonly byId: ReadonlyMap<string, ListedVault>;
  /** Listed vaults, best first. */
  readonly byStrategy: Readonly<Record<Strategy, readonly ListedVault[]>>;
}

/** Rank the listed vaults for each strategy: by score, then by TVL, then by id. */
export function rankVaults(all: readonly ListedVault[]): ChainRanking {
  const listed = all.filter((vault) => vault.listed);
  const ranked = (strategy: Strategy) =>
    [...listed].sort(
      (a, b) =>
        b.compositeScores[strategy] - a.compositeScores[strategy] ||
        b.tvlUsd - a.tvlUsd ||
        (BigInt(a.vaultId) < BigInt(b.vaultId) ? -1 : 1),
    );
  const byStrategy = Object.fromEntries(strategies.map((strategy) => [strategy, ranked(strategy)]));
  const byId = new Map(all.map((vault) => [vault.vaultId, vault]));
  return { all, byId, byStrategy: byStrategy as Record<Strategy, ListedVault[]> };
}
