import { measureVaults } from '@yield-vault/vault-discovery';
import { measureInput, syntheticSeries, syntheticVaults } from './synthetic-vaults.js';

const now = 1_790_000_000;
const measure = (count: number) =>
  measureVaults(
    syntheticVaults(0, count).map((vault) => measureInput(vault, syntheticSeries(vault, 744, now), now)),
    { now, minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 },
  );

describe('syntheticVaults', () => {
  it('default: the same number is the same vault in any set', () => {
    expect(syntheticVaults(7, 8)).toEqual(syntheticVaults(0, 20).slice(7, 8));
    const vaults = syntheticVaults(0, 2_000);
    expect(new Set(vaults.map(({ vaultId }) => vaultId)).size).toBe(2_000);
    expect(new Set(vaults.map(({ entry }) => entry.asset.symbol)).size).toBe(9);
  });

  it('behavior: measured, they spread as vaults do', async () => {
    const summaries = (await measure(500)).map(({ summary }) => summary);
    const share = (fits: (summary: (typeof summaries)[number]) => boolean) =>
      summaries.filter(fits).length / summaries.length;
    expect(share(({ listed }) => listed)).toBeGreaterThan(0.7);
    expect(share(({ listed }) => listed)).toBeLessThan(0.95);
    for (const level of ['low', 'medium', 'high'])
      expect(share(({ risk }) => risk.level === level)).toBeGreaterThan(0.05);
    expect(share(({ apy }) => apy.now > 3 && apy.now < 8)).toBeGreaterThan(0.4);
    expect(share(({ apy }) => apy.week < 0)).toBeGreaterThan(0);
    expect(share(({ tvlUsd }) => tvlUsd > 10_000_000)).toBeGreaterThan(0.05);
  });
});
