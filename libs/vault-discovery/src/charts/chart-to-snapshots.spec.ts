import { parseUnits } from 'viem';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { priceSources, type Snapshot, snapshotOrigins } from '../ports.js';
import type { AssetPrice, Pricer } from '../prices/priced-assets.js';
import { chartToSnapshots, readPast } from './chart-to-snapshots.js';
import type { ChartPoint } from './create-llama-chart.js';

const day = 86_400;
/** The first snapshot of the chain: 23:10 of a day. */
const t = 20_700 * day + 23 * 3_600 + 600;
const usdc = { symbol: 'USDC', decimals: 6, address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' } as const;
const dailyGrowth = (apyPercent: number, days: number) => (1 + apyPercent / 100) ** (days / 365);

function buildFirst(sharePrice: number, decimals = 6): Snapshot {
  return {
    ...{ vault: 7, t, block: 100n, totalAssets: 5_000_000n, totalSupply: 1n, origin: snapshotOrigins.chain },
    ...{
      sharePrice: parseUnits(String(sharePrice), decimals + 6),
      priceUsd: 1,
      priceSource: priceSources.feed,
    },
  };
}

/** Points at 23:00, the newest a day before the chain's first. */
const buildPoints = (count: number, of: (daysAgo: number) => Partial<ChartPoint>): ChartPoint[] =>
  Array.from({ length: count }, (_, index) => {
    const daysAgo = count - index;
    return { t: t - 600 - daysAgo * day, tvlUsd: 2_000_000, ...of(daysAgo) };
  });

const convert = (
  points: readonly ChartPoint[],
  {
    first = buildFirst(1.05),
    since = 0,
    decimals = 6,
    shareDecimals = 18,
    price = { usd: 1, source: priceSources.external } as AssetPrice,
  } = {},
) =>
  chartToSnapshots({
    vault: { id: 7, shareDecimals, entry: buildRegistryEntry({ asset: { ...usdc, decimals } }) },
    ...{ points, first, since },
    priceAt: () => price,
  });

const sharePrices = (snapshots: readonly Snapshot[], decimals = 6) =>
  snapshots.map(({ sharePrice }) => Number(sharePrice) / 10 ** (decimals + 6));

describe('chartToSnapshots', () => {
  it('default: the share prices of the chart where they are those of the chain', () => {
    const snapshots = convert(
      buildPoints(3, (daysAgo) => ({ sharePrice: 1.05 - daysAgo * 0.0001, apyPercent: 3 })),
    );
    expect(sharePrices(snapshots)).toEqual([1.0497, 1.0498, 1.0499]);
    expect(snapshots[2]).toEqual({
      ...{ vault: 7, t: t - 600 - day, block: 0n, origin: snapshotOrigins.externalChart },
      ...{ sharePrice: 1_049_900_000_000n, totalAssets: 2_000_000_000_000n },
      totalSupply: (2_000_000_000_000n * 10n ** 24n) / 1_049_900_000_000n,
      ...{ priceUsd: 1, priceSource: priceSources.external },
    });
  });

  it('default: back from the share price of the chain by the yield of each day', () => {
    const snapshots = convert(buildPoints(3, () => ({ apyPercent: 5 })));
    const [third, second, newest] = sharePrices(snapshots);
    const toNewest = 1 + 600 / day;
    expect(newest).toBeCloseTo(1.05 / dailyGrowth(5, toNewest), 9);
    expect(second).toBeCloseTo(1.05 / dailyGrowth(5, toNewest + 1), 9);
    expect(third).toBeCloseTo(1.05 / dailyGrowth(5, toNewest + 2), 9);
  });

  it('behavior: the yield of a day says what the day before it was worth', () => {
    const snapshots = convert(buildPoints(2, (daysAgo) => ({ apyPercent: daysAgo === 1 ? 10 : -50 })));
    const [older, newer] = sharePrices(snapshots);
    expect(older).toBeCloseTo(newer! / dailyGrowth(10, 1), 9);
  });

  it('behavior: losses stay losses', () => {
    const snapshots = convert(buildPoints(2, () => ({ apyPercent: -20 })));
    const [older, newer] = sharePrices(snapshots);
    expect(older).toBeGreaterThan(newer!);
    expect(newer).toBeGreaterThan(1.05);
  });

  it.each([
    ['another unit', (price: number) => price * 1e12],
    ['USD', (price: number) => price * 2_500],
    ['another token', (price: number) => price * 1.006],
  ])('behavior: a share price in %s is not taken: the yield is', (_, spoil) => {
    const snapshots = convert(buildPoints(2, () => ({ sharePrice: spoil(1.05), apyPercent: 5 })));
    expect(sharePrices(snapshots)[1]).toBeCloseTo(1.05 / dailyGrowth(5, 1 + 600 / day), 9);
  });

  it('behavior: share prices that begin later are carried on by the yield', () => {
    const snapshots = convert(
      buildPoints(4, (daysAgo) => ({ sharePrice: daysAgo <= 2 ? 1.0495 : undefined, apyPercent: 4 })),
    );
    expect(sharePrices(snapshots)[1]).toBeCloseTo(1.0495 / dailyGrowth(4, 1), 9);
  });

  it('behavior: a share price that leaps is dropped, the others stay', () => {
    const snapshots = convert(
      buildPoints(3, (daysAgo) => ({ sharePrice: daysAgo === 2 ? 10.4 : 1.049, apyPercent: 4 })),
    );
    expect(sharePrices(snapshots)).toEqual([1.049, 1.049]);
  });

  it.each([
    ['a yield of 0 may hide a loss', 0],
    ['the yield cannot be', -100],
    ['the yield cannot be', 1_001],
    ['no yield is stated', undefined],
  ])('behavior: the past ends where %s (%s)', (_, apyPercent) => {
    const snapshots = convert(buildPoints(5, (daysAgo) => ({ apyPercent: daysAgo >= 2 ? apyPercent : 4 })));
    expect(snapshots).toHaveLength(2);
  });

  it('behavior: the past ends at a gap, where only yields are known', () => {
    const points = buildPoints(5, () => ({ apyPercent: 4 })).filter((_, index) => index !== 2);
    const snapshots = convert(points);
    expect(snapshots.map((each) => each.t)).toEqual(points.slice(2).map((each) => each.t));
  });

  it('behavior: a gap between share prices stays a gap', () => {
    const points = buildPoints(5, () => ({ sharePrice: 1.05 })).filter((_, index) => index !== 2);
    expect(convert(points)).toHaveLength(4);
  });

  it('behavior: a chart that ends long before the chain begins is of no use', () => {
    const points = buildPoints(20, () => ({ sharePrice: 1.05, apyPercent: 4 })).slice(0, 5);
    expect(convert(points)).toEqual([]);
  });

  it('behavior: one a day, the last; never of the hour of the first snapshot or later', () => {
    const midnight = t - (t % day);
    const at = (time: number) => ({ t: time, tvlUsd: 1, sharePrice: 1.05 });
    const snapshots = convert([
      at(t + day),
      at(t + 1),
      at(t - 600),
      at(midnight + 7_200),
      at(midnight + 3_600),
      at(midnight - 1),
    ]);
    expect(snapshots.map((each) => each.t)).toEqual([midnight - 1, midnight + 7_200]);
  });

  it('behavior: nothing older than wanted', () => {
    const points = buildPoints(5, () => ({ apyPercent: 4 }));
    expect(convert(points, { since: t - 3 * day })).toHaveLength(2);
  });

  it('behavior: TVL beyond reason is dropped', () => {
    const snapshots = convert(
      buildPoints(3, (daysAgo) => ({ sharePrice: 1.05, tvlUsd: daysAgo === 1 ? 767e9 : 1e6 })),
    );
    expect(snapshots).toHaveLength(2);
  });

  it('behavior: assets follow from TVL and the price of that day', () => {
    const price = { usd: 2_500, source: priceSources.external };
    const options = { price, decimals: 18, first: buildFirst(1.05, 18) };
    const [only] = convert(
      buildPoints(1, () => ({ apyPercent: 4 })),
      options,
    );
    expect(only?.totalAssets).toBe(800n * 10n ** 18n);
    expect(only).toMatchObject({ priceUsd: 2_500, priceSource: priceSources.external });
  });

  it('behavior: no price of that day, no TVL; the share price stays', () => {
    const price = { usd: 0, source: priceSources.unknown };
    const [only] = convert(
      buildPoints(1, () => ({ apyPercent: 4 })),
      { price },
    );
    expect(only).toMatchObject({ totalAssets: 0n, priceUsd: 0, priceSource: priceSources.unknown });
    expect(sharePrices([only!])[0]).toBeCloseTo(1.05, 3);
  });

  it('behavior: a chain price that is nonsense gives no past', () => {
    const snapshots = convert(
      buildPoints(2, () => ({ apyPercent: 4 })),
      {
        first: { ...buildFirst(1), sharePrice: 0n },
      },
    );
    expect(snapshots).toEqual([]);
  });
});

describe('readPast', () => {
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

  it('default: each day at the price of that day', async () => {
    const snapshots = await readPast({ ...work, pricer: pricerOf(t - day) });
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
