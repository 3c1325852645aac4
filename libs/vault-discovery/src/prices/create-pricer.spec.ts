import { UpstreamFailure } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import type { Address } from 'viem';
import { type FakeFeed, type FakeFeedNode, startFakeFeedNode } from '../../test/fake-feeds.js';
import { readBatches, toBatches } from '../chain/read-contracts.js';
import { priceSources, silentLogger } from '../ports.js';
import { createPricer } from './create-pricer.js';
import { feedTable } from './feed-table.js';
import type { ExternalPrice, ExternalPrices, PricedAsset, Pricer } from './priced-assets.js';

const hour = 3_600;
const t = 1_790_000_000;
const usdc: PricedAsset = { address: canonical.usdc[1], isUsdPegged: true };
const weth: PricedAsset = { address: canonical.weth[1], isUsdPegged: false };
const eurc: PricedAsset = { address: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', isUsdPegged: false };
const unfed: PricedAsset = { address: '0x5000000000000000000000000000000000000005', isUsdPegged: true };
const other: PricedAsset = { address: '0x6000000000000000000000000000000000000006', isUsdPegged: false };

let chain: FakeFeedNode;
let clock: number;
const warnings: object[] = [];

beforeAll(async () => {
  chain = await startFakeFeedNode();
});
afterAll(() => chain.stop());
beforeEach(() => {
  clock = t;
  warnings.length = 0;
  chain.node.setFault(undefined);
  chain.feeds.clear();
  setFeed(canonical.usdcUsdFeed[1], { description: 'USDC / USD', answer: 99_980_000n });
  setFeed(canonical.ethUsdFeed[1], { description: 'ETH / USD', answer: 2_500_00000000n });
});

function setFeed(address: Address, feed: Partial<FakeFeed>): void {
  const known = chain.feeds.get(address.toLowerCase());
  const blank = { description: '', decimals: 8, answer: 0n, updatedAt: t - 60 };
  chain.feeds.set(address.toLowerCase(), { ...blank, ...known, ...feed });
}

const pricerOf = (assets: readonly PricedAsset[], external?: ExternalPrices) =>
  createPricer({
    chain: { key: 'ethereum', chainId: 1 },
    assets,
    external,
    logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    now: () => clock * 1_000,
  });

/** Ask the node and the pricer about a time. */
async function pricesAt(pricer: Pricer, time = t) {
  const results = await readBatches(chain.rpc, toBatches(pricer.reads(), 100), 1n);
  return pricer.prices({ t: time }, results);
}
const priceOf = async (pricer: Pricer, { address }: PricedAsset, time = t) =>
  (await pricesAt(pricer, time)).get(address.toLowerCase());

/** A service of prices that records its requests. */
function serviceOf(usd: number, ageSeconds = 0) {
  const asked: { readonly at: number | 'now'; readonly assets: readonly Address[] }[] = [];
  const respond = (assets: readonly Address[], time: number): ReadonlyMap<string, ExternalPrice> =>
    new Map(assets.map((asset) => [asset.toLowerCase(), { usd, t: time - ageSeconds }]));
  const service: ExternalPrices = {
    current: (_chainId, assets) => {
      asked.push({ at: 'now', assets });
      return Promise.resolve(respond(assets, clock));
    },
    at: (_chainId, assets, time) => {
      asked.push({ at: time, assets });
      return Promise.resolve(respond(assets, time));
    },
  };
  return { service, asked };
}
const deadService = (): ExternalPrices => {
  const fail = () => Promise.reject(new UpstreamFailure('example', 'timed out'));
  return { current: fail, at: fail };
};

describe('createPricer', () => {
  it('default: the response of the contract’s feed', async () => {
    const pricer = pricerOf([usdc, weth]);
    const prices = await pricesAt(pricer);
    expect(prices.get(usdc.address.toLowerCase())).toEqual({ usd: 0.9998, source: priceSources.feed });
    expect(prices.get(weth.address.toLowerCase())).toEqual({ usd: 2_500, source: priceSources.feed });
    expect(warnings).toEqual([]);
  });

  it('behavior: addresses in any case; reads only the feeds of the assets wanted', async () => {
    const pricer = pricerOf([{ address: weth.address.toLowerCase() as Address, isUsdPegged: false }]);
    expect(new Set(pricer.reads().map(({ target }) => target))).toEqual(new Set([canonical.ethUsdFeed[1]]));
    expect(await priceOf(pricer, weth)).toEqual({ usd: 2_500, source: priceSources.feed });
  });

  it('behavior: decimals are read, not assumed', async () => {
    setFeed(canonical.ethUsdFeed[1], { decimals: 18, answer: 2_500n * 10n ** 18n });
    expect(await priceOf(pricerOf([weth]), weth)).toEqual({ usd: 2_500, source: priceSources.feed });
  });

  it('behavior: fresh for one and a half heartbeats, at the time of the block', async () => {
    const pricer = pricerOf([weth]);
    setFeed(canonical.ethUsdFeed[1], { updatedAt: t - 1.5 * hour });
    expect((await priceOf(pricer, weth))?.source).toBe(priceSources.feed);
    const fresh = pricerOf([weth]);
    setFeed(canonical.ethUsdFeed[1], { updatedAt: t - 1.5 * hour - 1 });
    expect((await priceOf(fresh, weth))?.source).toBe(priceSources.unknown);
    expect((await priceOf(fresh, weth, t - 10))?.source).toBe(priceSources.feed);
  });

  it.each([0n, -1n])('behavior: a response of %s is no price', async (answer) => {
    setFeed(canonical.ethUsdFeed[1], { answer });
    expect(await priceOf(pricerOf([weth]), weth)).toEqual({ usd: 0, source: priceSources.unknown });
  });

  it('behavior: a feed that calls itself otherwise is off for good, and that is said once', async () => {
    setFeed(canonical.ethUsdFeed[1], { description: 'BTC / USD' });
    const pricer = pricerOf([usdc, weth]);
    const prices = await pricesAt(pricer);
    expect(prices.get(weth.address.toLowerCase())?.source).toBe(priceSources.unknown);
    expect(prices.get(usdc.address.toLowerCase())?.source).toBe(priceSources.feed);
    await pricesAt(pricer);
    setFeed(canonical.ethUsdFeed[1], { description: 'ETH / USD' });
    expect((await priceOf(pricer, weth))?.source).toBe(priceSources.unknown);
    expect(warnings).toMatchObject([{ expected: 'ETH / USD', description: 'BTC / USD' }]);
  });

  it('behavior: a pricer that is made while the node is down prices once it is back', async () => {
    chain.node.setFault('http-500');
    const pricer = pricerOf([weth]);
    await expect(pricesAt(pricer)).rejects.toThrow();
    chain.node.setFault(undefined);
    expect(await priceOf(pricer, weth)).toEqual({ usd: 2_500, source: priceSources.feed });
    expect(warnings).toEqual([]);
  });

  it('behavior: a feed that does not respond is read again, and logged once an outage', async () => {
    chain.feeds.delete(canonical.usdcUsdFeed[1].toLowerCase());
    const pricer = pricerOf([usdc]);
    expect((await priceOf(pricer, usdc))?.source).toBe(priceSources.assumedPeg);
    await pricesAt(pricer);
    expect(warnings).toMatchObject([{ feed: canonical.usdcUsdFeed[1], t }]);
    setFeed(canonical.usdcUsdFeed[1], { description: 'USDC / USD', answer: 99_980_000n });
    expect(await priceOf(pricer, usdc)).toEqual({ usd: 0.9998, source: priceSources.feed });
    chain.feeds.delete(canonical.usdcUsdFeed[1].toLowerCase());
    await pricesAt(pricer);
    expect(warnings).toHaveLength(2);
  });

  it('behavior: a feed without a description has no price', async () => {
    setFeed(canonical.ethUsdFeed[1], { description: undefined });
    const pricer = pricerOf([weth]);
    expect((await priceOf(pricer, weth))?.source).toBe(priceSources.unknown);
    setFeed(canonical.ethUsdFeed[1], { description: 'ETH / USD' });
    expect((await priceOf(pricer, weth))?.source).toBe(priceSources.feed);
  });

  it('behavior: an external service prices only assets without a feed', async () => {
    const { service, asked } = serviceOf(0.97);
    const pricer = pricerOf([usdc, unfed], service);
    expect(await priceOf(pricer, unfed)).toEqual({ usd: 0.97, source: priceSources.external });
    expect(asked).toEqual([{ at: 'now', assets: [unfed.address] }]);
  });

  it('behavior: an external price of another time is none', async () => {
    const pricer = pricerOf([unfed], serviceOf(0.97, 2 * hour + 1).service);
    expect((await priceOf(pricer, unfed))?.source).toBe(priceSources.assumedPeg);
  });

  it('behavior: current prices are requested once a minute', async () => {
    const { service, asked } = serviceOf(1.01);
    const pricer = pricerOf([unfed], service);
    await Promise.all([pricesAt(pricer), pricesAt(pricer), pricesAt(pricer)]);
    expect(asked).toHaveLength(1);
    clock += 61;
    await pricesAt(pricer, clock);
    expect(asked).toHaveLength(2);
  });

  it('behavior: past prices are requested by the hour, once', async () => {
    const { service, asked } = serviceOf(1_800);
    const pricer = pricerOf([other], service);
    const past = t - (t % hour) - 100 * hour;
    expect(await priceOf(pricer, other, past - 1)).toEqual({ usd: 1_800, source: priceSources.external });
    await pricesAt(pricer, past + 5);
    expect(asked).toEqual([{ at: past, assets: [other.address] }]);
  });

  it('behavior: the present never stands for the past', async () => {
    const { service } = serviceOf(1_800);
    const pricer = pricerOf([other], {
      ...service,
      at: () => Promise.resolve(new Map()),
    });
    expect((await priceOf(pricer, other))?.source).toBe(priceSources.external);
    expect(await priceOf(pricer, other, t - 5 * hour)).toEqual({ usd: 0, source: priceSources.unknown });
  });

  it('behavior: the last good price stands for six hours', async () => {
    const pricer = pricerOf([weth]);
    await pricesAt(pricer);
    setFeed(canonical.ethUsdFeed[1], { answer: 0n });
    expect(await priceOf(pricer, weth, t + 6 * hour)).toEqual({
      usd: 2_500,
      source: priceSources.lastGood,
    });
    expect((await priceOf(pricer, weth, t + 6 * hour + 1))?.source).toBe(priceSources.unknown);
    // It is none of an earlier time.
    expect((await priceOf(pricer, weth, t - 1))?.source).toBe(priceSources.unknown);
  });

  it('behavior: a price that was carried over is not carried on', async () => {
    const pricer = pricerOf([weth]);
    await pricesAt(pricer);
    setFeed(canonical.ethUsdFeed[1], { answer: 0n });
    for (let hours = 1; hours <= 7; hours += 1) await pricesAt(pricer, t + hours * hour);
    expect((await priceOf(pricer, weth, t + 7 * hour))?.source).toBe(priceSources.unknown);
  });

  it('behavior: only an asset that is meant to be a dollar is assumed to be one', async () => {
    chain.feeds.clear();
    const prices = await pricesAt(pricerOf([unfed, eurc, weth], deadService()));
    expect(prices.get(unfed.address)).toEqual({ usd: 1, source: priceSources.assumedPeg });
    expect(prices.get(eurc.address.toLowerCase())).toEqual({ usd: 0, source: priceSources.unknown });
    expect(prices.get(weth.address.toLowerCase())).toEqual({ usd: 0, source: priceSources.unknown });
  });

  it('behavior: an asset that was off its peg when last seen is not assumed to be back', async () => {
    setFeed(canonical.usdcUsdFeed[1], { answer: 88_000_000n });
    const pricer = pricerOf([usdc]);
    await pricesAt(pricer);
    setFeed(canonical.usdcUsdFeed[1], { answer: 0n });
    expect(await priceOf(pricer, usdc, t + 7 * hour)).toEqual({ usd: 0, source: priceSources.unknown });
  });

  it('behavior: without any state, as for times that no node keeps', async () => {
    const { service } = serviceOf(1_800);
    const prices = await pricerOf([usdc, weth], service).prices({ t: t - 1_000 * hour }, []);
    expect(prices.get(weth.address.toLowerCase())).toEqual({ usd: 1_800, source: priceSources.external });
    expect(warnings).toEqual([]);
  });

  it('behavior: a service that fails is logged and retried, and only its price is missing', async () => {
    let fails = true;
    const { service, asked } = serviceOf(3);
    const pricer = pricerOf([other], {
      ...service,
      current: (...question) =>
        fails ? Promise.reject(new UpstreamFailure('example', 'timed out')) : service.current(...question),
    });
    expect((await priceOf(pricer, other))?.source).toBe(priceSources.unknown);
    expect(warnings).toHaveLength(1);
    fails = false;
    expect((await priceOf(pricer, other))?.source).toBe(priceSources.external);
    expect(asked).toHaveLength(1);
  });
});

describe('feedTable', () => {
  it('default: every asset and feed once, each with its heartbeat', () => {
    for (const feeds of Object.values(feedTable)) {
      expect(new Set(feeds.map(({ asset }) => asset.toLowerCase())).size).toBe(feeds.length);
      expect(new Set(feeds.map(({ feed }) => feed.toLowerCase())).size).toBe(feeds.length);
      for (const { pair, heartbeatSeconds } of feeds) {
        expect(pair).toMatch(/^\w+ \/ USD$/);
        expect(heartbeatSeconds).toBeGreaterThanOrEqual(1_200);
        expect(heartbeatSeconds).toBeLessThanOrEqual(86_400);
      }
    }
  });
});
