import {
  riskLevels,
  type DiscoverRequest,
  type ListedVault,
  type VaultCandidate,
} from '@yield-vault/protocol';
import { round } from '../metrics/statistics.js';
import type { ChainRanking } from './chain-ranking.js';

/** Take the vaults that fit a discover request from a ranking, best first. */
export function selectCandidates(ranking: ChainRanking, query: DiscoverRequest): VaultCandidate[] {
  const { strategy, riskTolerance, minApy = -Infinity, limit } = query;
  const asset = query.asset?.toLowerCase();
  const ceiling = riskLevels.indexOf(riskTolerance ?? 'high');
  const selected: VaultCandidate[] = [];
  for (const vault of ranking.byStrategy[strategy]) {
    if (selected.length === limit) break;
    if (asset !== undefined && vault.asset.symbol.toLowerCase() !== asset) continue;
    if (riskLevels.indexOf(vault.risk.level) > ceiling || vault.apy.now < minApy) continue;
    selected.push(toCandidate(vault, vault.compositeScores[strategy]));
  }
  return selected;
}

function toCandidate(vault: ListedVault, score: number): VaultCandidate {
  const { vaultId, vaultAddress, name, protocol, asset, chain, apy, risk, sharpe, tvlUsd, tier } = vault;
  return {
    vaultId,
    vaultAddress,
    name,
    protocol,
    asset: asset.symbol,
    chain,
    apy,
    risk,
    sharpe,
    tvlUsd,
    tier,
    compositeScore: round(score, 2),
  };
}
