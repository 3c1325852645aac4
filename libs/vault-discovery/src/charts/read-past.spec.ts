import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { priceSources, snapshotOrigins } from '../ports.js';
import type { Pricer } from '../prices/types.js';
import { readPast } from './read-past.js';
import type { ChartPoint } from './types.js';

const day = 86_400;
const t = 20_700 * day;
const entry = buildRegistryEntry({ llamaPool: 'pool' });
const vault = { entry, id: 1, vaultId: '1', shareDecimals: 18 };
const first = {
  ...{ vault: 1, t, block: 9n, totalAssets: 1n, totalSupply: 1n, origin: snapshotOrigins.chain },
  ...{ sharePrice: 10n ** BigInt(entry.asset.decimals + 6), priceUsd: 1, priceSource: priceSources.feed },
};
const points: ChartPoint[] = [1, 2, 3].map((days) => ({ t: t - days * day, tvlUsd: 100, apyPercent: 5 }));

/** Knows the price of one day only. */
const pricerOf = (known: number, asked: number[] = []): Pricer => ({
  reads: () => [],
  prices: ({ t: time }) => {
    asked.push(time);
    const price =
      time === known
        ? { usd: 1.25, source: priceSources.external }
        : { usd: 0, source: priceSources.unknown };
    return Promise.resolve(new Map([[entry.asset.address.toLowerCase(), price]]));
  },
});
const work = { chart: { history: () => Promise.resolve(points) }, vault, first, since: t - 2 * day };

describe('readPast', () => {
  it('default: each day at the price of that day', async () => {
    const { snapshots } = await readPast({ ...work, pricer: pricerOf(t - day) });
    expect(snapshots.map(({ priceUsd, totalAssets }) => ({ priceUsd, totalAssets }))).toEqual([
      { priceUsd: 0, totalAssets: 0n },
      { priceUsd: 1.25, totalAssets: 80n * 10n ** BigInt(entry.asset.decimals) },
    ]);
  });

  it('behavior: only the days that are wanted are priced', async () => {
    const asked: number[] = [];
    await readPast({ ...work, pricer: pricerOf(0, asked) });
    expect(asked).toEqual([t - day, t - 2 * day]);
  });

  it('error: given up', async () => {
    const signal = AbortSignal.abort();
    await expect(readPast({ ...work, pricer: pricerOf(0), signal })).rejects.toThrow();
  });
});
