import type { ListedVault, Strategy, VaultCandidate } from '@yield-vault/protocol';
import { round } from '../metrics/statistics.js';

/** Decimals of a score on the wire; ranking compares the exact one. */
export const scoreDecimals = 2;

/** Make the element of a discover response that stands for a vault. */
export function toCandidate(vault: ListedVault, strategy: Strategy): VaultCandidate {
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
    compositeScore: round(vault.compositeScores[strategy], scoreDecimals),
  };
}
