import { chainFacts } from '@yield-vault/contracts';
import { silentLogger } from '@yield-vault/protocol';
import { type Address, concat, numberToHex } from 'viem';
import { text, useFakeChain } from '../../test/start-fake-chain.js';
import { readBatches, toBatches } from '../chain/read-contracts.js';
import { priceSources } from '../ports.js';
import { createPricer } from './create-pricer.js';
import type { ExternalPrices, PricedAsset, Pricer } from './priced-assets.js';

const hour = 3_600;
const t = 1_790_000_000;
const usdc: PricedAsset = { address: chainFacts(1).usdc.address, isUsdPegged: true };
const weth: PricedAsset = { address: chainFacts(1).wrappedNative.address, isUsdPegged: false };
const eurc: PricedAsset = { address: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', isUsdPegged: false };
const unfed: PricedAsset = { address: '0x5000000000000000000000000000000000000005', isUsdPegged: true };
const ethFeed = chainFacts(1).wrappedNative.price.feed;
const usdcFeed = chainFacts(1).usdc.price.feed;
const fed = (usd: number) => ({ usd, source: priceSources.feed });
const unknown = { usd: 0, source: priceSources.unknown };

/** What a feed says. */
interface FakeFeed {
  readonly description: string;
  readonly decimals: number;
  readonly answer: bigint;
  readonly updatedAt: number;
}

const chain = useFakeChain(() => [t]);
/** By address in lower case. */
let feeds: Map<string, FakeFeed>;
let warnings: object[];

beforeEach(() => {
  warnings = [];
  feeds = new Map();
  chain.respond = (target, functionName) => {
    const feed = feeds.get(target);
    if (!feed) return '0x';
    if (functionName === 'description') return text(feed.description);
    if (functionName === 'decimals') return BigInt(feed.decimals);
    const updatedAt = BigInt(feed.updatedAt);
    return concat([7n, feed.answer, updatedAt, updatedAt, 7n].map(signedWord));
  };
  setFeed(usdcFeed, { description: 'USDC / USD', answer: 99_980_000n });
  setFeed(ethFeed, { description: 'ETH / USD', answer: 2_500_00000000n });
});

const signedWord = (value: bigint) => numberToHex(value, { size: 32, signed: true });

function setFeed(address: Address, feed: Partial<FakeFeed>): void {
  const known = feeds.get(address.toLowerCase());
  const blank = { description: '', decimals: 8, answer: 0n, updatedAt: t - 60 };
  feeds.set(address.toLowerCase(), { ...blank, ...known, ...feed });
}

const pricerOf = (assets: readonly PricedAsset[], external?: ExternalPrices) =>
  createPricer({
    chain: { key: 'ethereum', chainId: 1 },
    assets,
    external,
    logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
  });

/** Read the feeds, and price an asset at a time. */
async function priceOf(pricer: Pricer, { address }: PricedAsset, time = t) {
  const results = await readBatches(chain.rpc, toBatches(pricer.reads(), 100), 0n);
  return (await pricer.prices({ t: time }, results)).get(address.toLowerCase());
}

describe('createPricer', () => {
  it('default: the response of the contract’s feed, for addresses in any case', async () => {
    const lower = { ...weth, address: weth.address.toLowerCase() as Address };
    const pricer = pricerOf([usdc, lower]);
    expect(await priceOf(pricer, usdc)).toEqual(fed(0.9998));
    expect(await priceOf(pricer, weth)).toEqual(fed(2_500));
    expect(warnings).toEqual([]);
    const targets = pricerOf([lower]).reads();
    expect(new Set(targets.map(({ target }) => target))).toEqual(new Set([ethFeed]));
  });

  it.each<[string, Partial<FakeFeed>, object]>([
    ['another spelling', { description: 'eth/usd' }, fed(2_500)],
    ['an age of one and a half heartbeats', { updatedAt: t - 1.5 * hour }, fed(2_500)],
    ['a second more', { updatedAt: t - 1.5 * hour - 1 }, unknown],
    ['a response of 0', { answer: 0n }, unknown],
    ['a negative response', { answer: -1n }, unknown],
  ])('behavior: a feed with %s', async (_, change, price) => {
    setFeed(ethFeed, change);
    expect(await priceOf(pricerOf([weth]), weth)).toEqual(price);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Partial<FakeFeed>]>([
    ['another name', { description: 'BTC / USD' }],
    ['an empty name', { description: '' }],
    ['other decimals', { decimals: 18 }],
  ])('behavior: a feed with %s is off for good, and that is said once', async (_, change) => {
    const pricer = pricerOf([usdc, weth]);
    setFeed(ethFeed, change);
    expect(await priceOf(pricer, weth)).toEqual(unknown);
    expect(await priceOf(pricer, usdc)).toEqual(fed(0.9998));
    setFeed(ethFeed, { description: 'ETH / USD', decimals: 8 });
    expect(await priceOf(pricer, weth)).toEqual(unknown);
    expect(warnings).toHaveLength(1);
  });

  it('behavior: a feed that does not respond is read again, and logged once an outage', async () => {
    const pricer = pricerOf([usdc]);
    for (const outages of [1, 2]) {
      feeds.delete(usdcFeed.toLowerCase());
      await priceOf(pricer, usdc);
      await priceOf(pricer, usdc);
      expect(warnings).toHaveLength(outages);
      expect(warnings.at(-1)).toMatchObject({ feed: usdcFeed, t });
      setFeed(usdcFeed, { description: 'USDC / USD', answer: 99_980_000n });
      expect(await priceOf(pricer, usdc)).toEqual(fed(0.9998));
    }
  });

  it('behavior: an external service prices only assets without a feed, also of times that no node keeps', async () => {
    const asked: (readonly Address[])[] = [];
    const service: ExternalPrices = (_t, assets) => {
      asked.push(assets);
      return Promise.resolve(new Map(assets.map((asset) => [asset.toLowerCase(), 0.97])));
    };
    const pricer = pricerOf([usdc, unfed], service);
    const external = { usd: 0.97, source: priceSources.external };
    expect(await priceOf(pricer, unfed)).toEqual(external);
    expect(asked).toEqual([[unfed.address]]);
    const past = await pricer.prices({ t: t - 1_000 * hour }, []);
    expect(past.get(usdc.address.toLowerCase())).toEqual(external);
  });

  it('behavior: the last good price stands for six hours, and is not carried on', async () => {
    const pricer = pricerOf([weth]);
    await priceOf(pricer, weth);
    setFeed(ethFeed, { answer: 0n });
    for (const hours of [1, 2, 6]) {
      const lastGood = { usd: 2_500, source: priceSources.lastGood };
      expect(await priceOf(pricer, weth, t + hours * hour)).toEqual(lastGood);
    }
    expect(await priceOf(pricer, weth, t + 6 * hour + 1)).toEqual(unknown);
    // It is none of an earlier time.
    expect(await priceOf(pricer, weth, t - 1)).toEqual(unknown);
  });

  it('behavior: only an asset that is meant to be a dollar is assumed to be one', async () => {
    feeds.clear();
    const pricer = pricerOf([unfed, eurc, weth]);
    expect(await priceOf(pricer, unfed)).toEqual({ usd: 1, source: priceSources.assumedPeg });
    for (const asset of [eurc, weth]) expect(await priceOf(pricer, asset)).toEqual(unknown);
  });

  it('behavior: an asset that was off its peg when last seen is not assumed to be back', async () => {
    setFeed(usdcFeed, { answer: 88_000_000n });
    const pricer = pricerOf([usdc]);
    await priceOf(pricer, usdc);
    setFeed(usdcFeed, { answer: 0n });
    expect(await priceOf(pricer, usdc, t + 7 * hour)).toEqual(unknown);
  });
});
