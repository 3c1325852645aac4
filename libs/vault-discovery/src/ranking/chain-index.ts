import {
  strategies,
  type DiscoverRequest,
  type ListedVault,
  type Strategy,
  type VaultCandidate,
} from '@yield-vault/protocol';
import type { SummaryRow } from '../ports.js';
import { getOrCreate } from './get-or-create.js';
import type { Pace } from '../pace.js';
import { rankForStrategy, type StrategyRanking } from './rank-for-strategy.js';
import { sortInSlices } from './sort-in-slices.js';
import { toIndexedVault, type IndexedVault } from './to-indexed-vault.js';

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

const nothing: CataloguePart = { vaults: [], listedCount: 0 };
/** Of a vault id, which has up to 20: two parts that are exact as numbers. */
const lowDigits = 9;

/**
 * Index the numbers of a chain, in slices of time so that requests are answered meanwhile.
 *
 * @returns an index that answers discover in time that does not grow with the catalogue, except to skip blocks
 * of 64 vaults that pay less than `minApy`
 */
export async function createChainIndex(rows: Iterable<SummaryRow>, pace: Pace): Promise<ChainIndex> {
  const all = await sortById(rows, pace);
  const byId = new Map<string, IndexedVault>();
  const parts = new Map<string, { readonly vaults: IndexedVault[]; listedCount: number }>();
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
  const rankings = new Map<Strategy, StrategyRanking>();
  for (const strategy of strategies) rankings.set(strategy, await rankForStrategy(strategy, listed, pace));
  const everything: CataloguePart = { vaults: all, listedCount: listed.length };
  return {
    all,
    listedCount: listed.length,
    find: (vaultId) => byId.get(vaultId),
    catalogue: (asset) => (asset === undefined ? everything : (parts.get(asset.toLowerCase()) ?? nothing)),
    best: (asset, strategy) => rankings.get(strategy)!.best(asset.toLowerCase()),
    select: ({ strategy, asset, riskTolerance: ceiling = 'high', minApy, limit }) =>
      rankings.get(strategy)!.take({ asset: asset?.toLowerCase(), ceiling, minApy, limit }),
  };
}

async function sortById(rows: Iterable<SummaryRow>, pace: Pace): Promise<IndexedVault[]> {
  const vaults: IndexedVault[] = [];
  for (const row of rows) {
    vaults.push(toIndexedVault(row));
    if (vaults.length % 256 === 0 && pace.isDue()) await pace.pause();
  }
  const high = new Float64Array(vaults.length);
  const low = new Float64Array(vaults.length);
  for (let index = 0; index < vaults.length; index++) {
    const { vaultId } = vaults[index]!;
    high[index] = Number(vaultId.slice(0, -lowDigits));
    low[index] = Number(vaultId.slice(-lowDigits));
    if (index % 512 === 0 && pace.isDue()) await pace.pause();
  }
  const order = await sortInSlices(vaults.length, (a, b) => high[a]! - high[b]! || low[a]! - low[b]!, pace);
  const sorted: IndexedVault[] = [];
  for (const index of order) sorted.push(vaults[index]!);
  return sorted;
}
