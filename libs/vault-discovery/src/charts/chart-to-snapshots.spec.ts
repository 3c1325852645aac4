import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { priceSources, type Snapshot } from '../ports.js';
import { snapshotOrigins } from '@yield-vault/vault-metrics';
import type { AssetPrice, Pricer } from '../prices/priced-assets.js';
import { chartToSnapshots, readPast } from './chart-to-snapshots.js';
import type { ChartPoint } from './create-llama-chart.js';

const day = 86_400;
/** The first snapshot of the chain: 23:10 of a day. */
const t = 20_700 * day + 23 * 3_600 + 600;
const usdc = { symbol: 'USDC', decimals: 6, address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' } as const;
const dailyGrowth = (apyPercent: number, days: number) => (1 + apyPercent / 100) ** (days / 365);

/** Points at 23:00, the newest a day before the chain's first. */
const buildPoints = (count: number, of: (daysAgo: number) => Partial<ChartPoint>): ChartPoint[] =>
  Array.from({ length: count }, (_, index) => {
    const daysAgo = count - index;
    return { t: t - 600 - daysAgo * day, tvlUsd: 2_000_000, ...of(daysAgo) };
  });

const convert = (
  points: readonly ChartPoint[],
  {
    first = { t, sharePrice: 1.05 },
    since = 0,
    decimals = 6,
    shareDecimals = 18,
    price = { usd: 1, source: priceSources.external } as AssetPrice,
  } = {},
) =>
  chartToSnapshots({
    vault: { id: 7, shareDecimals, entry: buildRegistryEntry({ asset: { ...usdc, decimals } }) },
    points,
    first,
    since,
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
      vault: 7,
      t: t - 600 - day,
      block: 0n,
      origin: snapshotOrigins.externalChart,
      sharePrice: 1_049_900_000_000n,
      totalAssets: 2_000_000_000_000n,
      totalSupply: (2_000_000_000_000n * 10n ** 24n) / 1_049_900_000_000n,
      priceUsd: 1,
      priceSource: priceSources.external,
    });
  });

  it('default: back from the share price of the chain by the yield of each day', () => {
    // The yield of a day says what the day before it was worth.
    const points = buildPoints(3, (daysAgo) => ({ apyPercent: daysAgo === 1 ? 10 : 5 }));
    const [third, second, newest] = sharePrices(convert(points));
    expect(newest).toBeCloseTo(1.05 / dailyGrowth(10, 1 + 600 / day), 9);
    expect(second).toBeCloseTo(newest! / dailyGrowth(10, 1), 9);
    expect(third).toBeCloseTo(second! / dailyGrowth(5, 1), 9);
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
    const points = buildPoints(3, (daysAgo) => ({ sharePrice: daysAgo === 2 ? 10.4 : 1.049, apyPercent: 4 }));
    expect(sharePrices(convert(points))).toEqual([1.049, 1.049]);
  });

  it('behavior: TVL beyond reason, and a day without a point, are gaps between share prices', () => {
    const points = buildPoints(5, (daysAgo) => ({ sharePrice: 1.05, tvlUsd: daysAgo === 1 ? 767e9 : 1e6 }));
    expect(convert(points.filter((_, index) => index !== 2))).toHaveLength(3);
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

  it('behavior: assets follow from TVL and the price of that day; without a price the share price stays', () => {
    const points = buildPoints(1, () => ({ apyPercent: 4 }));
    const price = { usd: 2_500, source: priceSources.external };
    const [only] = convert(points, { price, decimals: 18 });
    expect(only).toMatchObject({
      totalAssets: 800n * 10n ** 18n,
      priceUsd: 2_500,
      priceSource: priceSources.external,
    });
    const [priceless] = convert(points, { price: { usd: 0, source: priceSources.unknown } });
    expect(priceless).toMatchObject({ totalAssets: 0n, priceUsd: 0, priceSource: priceSources.unknown });
    expect(sharePrices([priceless!])[0]).toBeCloseTo(1.05, 3);
  });

  it('behavior: a chain price that is nonsense gives no past', () => {
    const points = buildPoints(2, () => ({ apyPercent: 4 }));
    expect(convert(points, { first: { t, sharePrice: 0 } })).toEqual([]);
  });
});

describe('readPast', () => {
  const t = 20_700 * day;
  const entry = buildRegistryEntry({ llamaPool: 'pool' });
  const vault = { entry, id: 1, vaultId: '1', shareDecimals: 18 };
  const first = { t, sharePrice: 1 };
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
