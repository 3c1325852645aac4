import {
  riskLevels,
  strategies,
  type DiscoverRequest,
  type ListedVault,
  type RiskLevel,
  type Strategy,
  type VaultCandidate,
} from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { SummaryRow } from '../ports.js';
import { compareVaultIds } from './compare-vault-ids.js';
import type { Pace } from './pace.js';
import { buildRankedList, takeBest, type RankedList, type RankedListBuilder } from './ranked-list.js';
import { sortInSlices } from './sort-in-slices.js';
import { toCandidate } from './to-candidate.js';

/** A vault as it is kept in memory. */
export interface IndexedVault extends ListedVault {
  /** Id of the vault inside the store. */
  readonly storeId: number;
  readonly flags: readonly string[];
}

/** The vaults of a chain in every order that is asked for. Never changes: a new one takes its place. */
export interface ChainIndex {
  /** The whole catalogue, by vault id as an integer. */
  readonly all: readonly IndexedVault[];
  /** How many of them are listed. */
  readonly listedCount: number;
  find(vaultId: string): IndexedVault | undefined;
  /** The whole catalogue or one asset of it (symbol in any case), by vault id as an integer. */
  catalogue(asset: string | undefined): CataloguePart;
  /** Listed vaults of an asset (symbol in any case), best first. */
  best(asset: string, strategy: Strategy): readonly ListedVault[];
  /** Listed vaults that fit a discover request, best first. */
  select(query: DiscoverRequest): VaultCandidate[];
}

export interface CataloguePart {
  readonly vaults: readonly IndexedVault[];
  readonly listedCount: number;
}

/** Lists by risk ceiling: of every asset, and of one. */
interface StrategyLists {
  readonly every: Readonly<Record<RiskLevel, RankedList>>;
  readonly byAsset: ReadonlyMap<string, Readonly<Record<RiskLevel, RankedList>>>;
}

const nothing = buildRankedList();
const emptyPart: CataloguePart = { vaults: [], listedCount: 0 };

/**
 * Index the numbers of a chain, in slices of time so that requests are answered meanwhile.
 *
 * @returns an index that answers discover in time that does not grow with the catalogue, except to skip blocks
 * of 64 vaults that pay less than `minApy`
 */
export async function createChainIndex(rows: Iterable<SummaryRow>, pace: Pace): Promise<ChainIndex> {
  const vaults: IndexedVault[] = [];
  for (const row of rows) {
    vaults.push(toIndexedVault(row));
    if (vaults.length % 512 === 0 && pace.isDue()) await pace.pause();
  }
  const all = await sortInSlices(vaults, (a, b) => compareVaultIds(a.vaultId, b.vaultId), pace);
  const byId = new Map<string, IndexedVault>();
  const parts = new Map<string, { vaults: IndexedVault[]; listedCount: number }>();
  const listed: IndexedVault[] = [];
  for (const vault of all) {
    byId.set(vault.vaultId, vault);
    const part = getOrCreate(parts, vault.asset.symbol.toLowerCase(), () => ({ vaults: [], listedCount: 0 }));
    part.vaults.push(vault);
    if (vault.listed) {
      part.listedCount++;
      listed.push(vault);
    }
    if (byId.size % 512 === 0 && pace.isDue()) await pace.pause();
  }
  const lists = new Map<Strategy, StrategyLists>();
  for (const strategy of strategies) lists.set(strategy, await rankFor(strategy, listed, pace));
  const everything: CataloguePart = { vaults: all, listedCount: listed.length };
  return {
    all,
    listedCount: listed.length,
    find: (vaultId) => byId.get(vaultId),
    catalogue: (asset) => (asset === undefined ? everything : (parts.get(asset.toLowerCase()) ?? emptyPart)),
    best: (asset, strategy) =>
      lists.get(strategy)?.byAsset.get(asset.toLowerCase())?.high.vaults ?? nothing.vaults,
    select: ({ strategy, asset, riskTolerance = 'high', minApy, limit }) => {
      const ofStrategy = lists.get(strategy)!;
      const byCeiling = asset === undefined ? ofStrategy.every : ofStrategy.byAsset.get(asset.toLowerCase());
      return byCeiling === undefined ? [] : takeBest(byCeiling[riskTolerance], limit, minApy);
    },
  };
}

const toIndexedVault = ({ vault, summary, assetPriceUsd }: SummaryRow): IndexedVault => ({
  ...summary,
  vaultAddress: summary.vaultAddress as Address,
  assetPriceUsd,
  storeId: vault,
});

/** Order by score, then by TVL, then by the smaller id; and hand out by asset and by risk ceiling. */
async function rankFor(
  strategy: Strategy,
  byVaultId: readonly IndexedVault[],
  pace: Pace,
): Promise<StrategyLists> {
  const ranked = await sortInSlices(
    byVaultId,
    // The sort is stable and begins in the order of the ids.
    (a, b) => b.compositeScores[strategy] - a.compositeScores[strategy] || b.tvlUsd - a.tvlUsd,
    pace,
  );
  const every = buildCeilings();
  const byAsset = new Map<string, Record<RiskLevel, RankedListBuilder>>();
  let done = 0;
  for (const vault of ranked) {
    const candidate = toCandidate(vault, strategy);
    const ofAsset = getOrCreate(byAsset, vault.asset.symbol.toLowerCase(), buildCeilings);
    for (let ceiling = riskLevels.indexOf(vault.risk.level); ceiling < riskLevels.length; ceiling++) {
      const level = riskLevels[ceiling]!;
      every[level].add(vault, candidate);
      ofAsset[level].add(vault, candidate);
    }
    if (++done % 256 === 0 && pace.isDue()) await pace.pause();
  }
  return { every, byAsset };
}

const buildCeilings = (): Record<RiskLevel, RankedListBuilder> => ({
  low: buildRankedList(),
  medium: buildRankedList(),
  high: buildRankedList(),
});

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}
