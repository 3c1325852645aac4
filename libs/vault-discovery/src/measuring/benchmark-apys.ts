import type { TrackedVault } from '../chain/sample-block.js';
import { compareVaultIds } from '../ranking/compare-vault-ids.js';
import { currencyOf } from './currency-of.js';
import type { Measurement } from './types.js';

const largestCount = 5;
const minTvlUsd = 1_000_000;

/** Vaults that are compared with each other: one chain, one kind of asset. */
export const groupOf = ({ entry }: Pick<TrackedVault, 'entry'>): string =>
  [entry.chainId, entry.facts.assetClass ?? 'unknown', currencyOf(entry) ?? ''].join(' ');

/**
 * What the five largest vaults of each group pay now, in percent, weighted by TVL. A vault whose data is no good
 * is no benchmark: nonsense is often the largest number of all.
 */
export function benchmarkApys(measurements: readonly Measurement[]): Map<string, number> {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measurements) {
    if (measurement.dataExclusions.length > 0 || measurement.tvlUsd < minTvlUsd) continue;
    const group = groupOf(measurement.vault);
    const members = groups.get(group);
    if (members) members.push(measurement);
    else groups.set(group, [measurement]);
  }
  return new Map([...groups].map(([group, members]) => [group, weightedApy(members)]));
}

function weightedApy(members: Measurement[]): number {
  const largest = members
    .sort((a, b) => b.tvlUsd - a.tvlUsd || compareVaultIds(a.vault.vaultId, b.vault.vaultId))
    .slice(0, largestCount);
  const total = largest.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0);
  return largest.reduce((sum, { tvlUsd, series }) => sum + (tvlUsd / total) * series.served.apy.now, 0);
}
