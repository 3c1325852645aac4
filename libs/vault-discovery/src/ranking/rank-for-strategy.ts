import {
  riskLevels,
  type ListedVault,
  type RiskLevel,
  type Strategy,
  type VaultCandidate,
} from '@yield-vault/protocol';
import { getOrCreate } from './get-or-create.js';
import type { Pace } from '../pace.js';
import { buildRankedList, takeBest, type RankedList, type RankedListBuilder } from './ranked-list.js';
import { sortInSlices } from './sort-in-slices.js';
import { toCandidate } from './to-candidate.js';

type ByCeiling<T> = Readonly<Record<RiskLevel, T>>;

/** What a list is asked for. */
export interface RankingQuery {
  /** In lower case; undefined: every asset. */
  readonly asset: string | undefined;
  readonly ceiling: RiskLevel;
  readonly minApy: number | undefined;
  readonly limit: number;
}

/** Listed vaults in the order of one strategy. */
export interface StrategyRanking {
  /** The best that fit. */
  take(query: RankingQuery): VaultCandidate[];
  /** All of an asset (in lower case), best first. */
  best(asset: string): readonly ListedVault[];
}

/** Order by score, then by TVL, then by the smaller id; and hand out by asset and by risk ceiling. */
export async function rankForStrategy(
  strategy: Strategy,
  byVaultId: readonly ListedVault[],
  pace: Pace,
): Promise<StrategyRanking> {
  const count = byVaultId.length;
  const scores = new Float64Array(count);
  const tvls = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    scores[index] = byVaultId[index]!.compositeScores[strategy];
    tvls[index] = byVaultId[index]!.tvlUsd;
    if (index % 1_024 === 0 && pace.isDue()) await pace.pause();
  }
  // The sort is stable and begins in the order of the ids.
  const order = await sortInSlices(count, (a, b) => scores[b]! - scores[a]! || tvls[b]! - tvls[a]!, pace);

  const every = buildCeilings();
  const byAsset = new Map<string, ByCeiling<RankedListBuilder>>();
  for (let place = 0; place < count; place++) {
    const { asset, risk, apy } = byVaultId[order[place]!]!;
    const ofAsset = getOrCreate(byAsset, asset.symbol.toLowerCase(), buildCeilings);
    for (let ceiling = riskLevels.indexOf(risk.level); ceiling < riskLevels.length; ceiling++) {
      const level = riskLevels[ceiling]!;
      every[level].add(place, apy.now);
      ofAsset[level].add(place, apy.now);
    }
    if (place % 512 === 0 && pace.isDue()) await pace.pause();
  }

  const vaultAt = (place: number): ListedVault => byVaultId[order[place]!]!;
  // Made when they are first asked for, and then once: most vaults are never among the best of any question.
  const candidates: (VaultCandidate | undefined)[] = [];
  const candidateAt = (place: number): VaultCandidate =>
    (candidates[place] ??= toCandidate(vaultAt(place), strategy));
  const bests = new Map<string, readonly ListedVault[]>();
  const listOf = (asset: string | undefined): ByCeiling<RankedList> | undefined =>
    asset === undefined ? every : byAsset.get(asset);
  return {
    take: ({ asset, ceiling, minApy, limit }) => {
      const lists = listOf(asset);
      return lists === undefined ? [] : takeBest(lists[ceiling], limit, minApy).map(candidateAt);
    },
    best: (asset) => getOrCreate(bests, asset, () => byAsset.get(asset)?.high.places.map(vaultAt) ?? []),
  };
}

const buildCeilings = (): ByCeiling<RankedListBuilder> => ({
  low: buildRankedList(),
  medium: buildRankedList(),
  high: buildRankedList(),
});
