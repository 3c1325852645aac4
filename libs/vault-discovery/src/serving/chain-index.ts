import {
  type DiscoverRequest,
  type RankedVault,
  riskLevels,
  strategies,
  type Strategy,
  type VaultCandidate,
  type VaultSummary,
} from '@yield-vault/protocol';
import { unread } from '../measuring/contract-facts.js';
import { compareVaultIds } from '../measuring/measurement.js';
import { round } from '@yield-vault/vault-metrics';
import type { SummaryRow } from '../ports.js';

/** Decimals of a score on the wire; ranking compares the exact one. */
const scoreDecimals = 2;

/** A vault as it is kept in memory. */
export interface IndexedVault extends RankedVault {
  /** Id of the vault inside the store. */
  readonly storeId: number;
  readonly flags: readonly string[];
}

/** The vaults of a chain, ranked for each strategy. Immutable: a new index replaces it. */
export interface ChainIndex {
  /** The whole catalogue, by vault id as an integer. */
  readonly all: readonly IndexedVault[];
  /** How many of them are listed. */
  readonly listedCount: number;
  find(vaultId: string): IndexedVault | undefined;
  /** Listed vaults of an asset (symbol in any case), best first. */
  best(asset: string, strategy: Strategy): readonly RankedVault[];
  /** Listed vaults that fit a discover request, best first. */
  select(query: DiscoverRequest): VaultCandidate[];
}

/** What a sampler of the version before did not store: during an upgrade it may still run. */
const unmeasured: Pick<VaultSummary, 'exit' | 'fees' | 'rewards' | 'coverage' | 'governance' | 'markets'> = {
  exit: { instantUsd: null, p10Usd: null, method: 'unknown', checkedAt: null },
  fees: { performancePercent: null, managementPercent: null, exitBps: null },
  rewards: [],
  coverage: 0,
  governance: { source: 'registry', checkedAt: null, admin: null, timelockSeconds: null, ...unread },
  markets: [],
};

/** Rank the vaults of a chain by score, then TVL, then the smaller id. */
export function createChainIndex(rows: readonly SummaryRow[]): ChainIndex {
  const all = rows
    // `assetPriceUsd` and `storeId` come first. V8 then gives all objects one shape, which makes ranking several times as
    // fast.
    .map(({ vault, summary, assetPriceUsd, gas }): IndexedVault => ({
      assetPriceUsd,
      storeId: vault,
      gas,
      ...unmeasured,
      ...summary,
    }))
    .sort((a, b) => compareVaultIds(a.vaultId, b.vaultId));
  const byId = new Map(all.map((vault) => [vault.vaultId, vault]));
  const listed = all.filter((vault) => vault.listed);
  const rankings = Object.fromEntries(
    strategies.map((strategy) => [strategy, rank(listed, strategy)]),
  ) as unknown as Record<Strategy, readonly IndexedVault[]>;
  return {
    all,
    listedCount: listed.length,
    find: (vaultId) => byId.get(vaultId),
    best: (asset, strategy) => rankings[strategy].filter(hasAsset(asset)),
    select: ({ strategy, asset, riskTolerance = 'high', minApy = -Infinity, limit }) => {
      const isOfAsset = asset === undefined ? () => true : hasAsset(asset);
      const ceiling = riskLevels.indexOf(riskTolerance);
      const candidates: VaultCandidate[] = [];
      for (const vault of rankings[strategy]) {
        if (vault.apy.now < minApy || riskLevels.indexOf(vault.risk.level) > ceiling || !isOfAsset(vault))
          continue;
        candidates.push(toCandidate(vault, strategy));
        if (candidates.length === limit) break;
      }
      return candidates;
    },
  };
}

/** The sort is stable, so equal vaults stay in the order of their ids. Copied keys make it several times as fast. */
const rank = (vaults: readonly IndexedVault[], strategy: Strategy): readonly IndexedVault[] =>
  vaults
    .map((vault) => ({ vault, score: vault.compositeScores[strategy], tvlUsd: vault.tvlUsd }))
    .sort((a, b) => b.score - a.score || b.tvlUsd - a.tvlUsd)
    .map(({ vault }) => vault);

/** Test for an asset, by its symbol in any case. */
export function hasAsset(symbol: string): (vault: Pick<RankedVault, 'asset'>) => boolean {
  const wanted = symbol.toLowerCase();
  return ({ asset }) => asset.symbol.toLowerCase() === wanted;
}

/** Round the scores of a vault for the wire. */
export const roundScores = (scores: Readonly<Record<Strategy, number>>): Record<Strategy, number> =>
  Object.fromEntries(
    strategies.map((strategy) => [strategy, round(scores[strategy], scoreDecimals)]),
  ) as Record<Strategy, number>;

function toCandidate(vault: RankedVault, strategy: Strategy): VaultCandidate {
  const { vaultId, vaultAddress, name, protocol, asset, chain, apy, risk, sharpe, tvlUsd, tier } = vault;
  const compositeScore = round(vault.compositeScores[strategy], scoreDecimals);
  return {
    vaultId,
    vaultAddress,
    name,
    protocol,
    asset: asset.symbol,
    assetAddress: asset.address,
    assetDecimals: asset.decimals,
    chain,
    apy,
    risk,
    riskCoverage: vault.coverage,
    exitUsd: vault.exit.instantUsd,
    sharpe,
    tvlUsd,
    tier,
    compositeScore,
  };
}
