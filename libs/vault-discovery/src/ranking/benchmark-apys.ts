import type { TrackedVault } from '../chain/sample-block.js';
import type { Measurement } from './measure-vaults.js';

const largestCount = 5;
const minTvlUsd = 1_000_000;

/** Vaults that are compared with each other: one chain, one kind of asset. */
export const groupOf = ({ entry }: TrackedVault): string =>
  `${entry.chain} ${entry.facts.assetClass ?? 'unknown'}`;

/** What the five largest vaults of each group pay now, in percent, weighted by TVL. */
export function benchmarkApys(measurements: readonly Measurement[]): Map<string, number> {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measurements) {
    if (!measurement.served.isUsable || measurement.tvlUsd < minTvlUsd) continue;
    const group = groupOf(measurement.vault);
    groups.set(group, [...(groups.get(group) ?? []), measurement]);
  }
  return new Map(
    [...groups].map(([group, members]) => {
      const largest = members.sort((a, b) => b.tvlUsd - a.tvlUsd).slice(0, largestCount);
      const total = largest.reduce((sum, { tvlUsd }) => sum + tvlUsd, 0);
      const weighted = largest.reduce((sum, { tvlUsd, served }) => sum + tvlUsd * served.apy.now, 0);
      return [group, weighted / total];
    }),
  );
}
