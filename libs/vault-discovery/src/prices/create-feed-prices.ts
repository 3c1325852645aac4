import type { Address, Hex } from 'viem';
import type { Read } from '../chain/read-contracts.js';
import type { PricerDeps } from './create-pricer.js';
import type { PriceFeed } from './feed-table.js';
import { readFeed, readsOfFeed, readsPerFeed } from './read-feed.js';

/** Prices of feeds at a block. */
export interface FeedPrices {
  readonly reads: readonly Read[];
  /**
   * @param t - of the block, Unix seconds
   * @param results - of `reads` at that block; empty where no node has its state
   * @returns USD by asset, of those that a feed prices
   */
  at(t: number, results: readonly (Hex | undefined)[]): ReadonlyMap<Address, number>;
}

/**
 * Trust feeds as far as they say, at the block itself, that they are what the table says. So one that is silent has
 * no price there and is asked again with the next block. One that says something else is off from then on: a
 * contract that contradicts the table once is not believed later.
 */
export function createFeedPrices(
  { chain, logger }: Pick<PricerDeps, 'chain' | 'logger'>,
  feeds: readonly PriceFeed[],
): FeedPrices {
  const off = new Set<PriceFeed>();
  const silent = new Set<PriceFeed>();

  const usdOf = (feed: PriceFeed, results: readonly (Hex | undefined)[], t: number) => {
    const reading = readFeed(feed, results, t);
    const fields = { chain: chain.key, feed: feed.feed, expected: feed.pair };
    if (reading.kind === 'silent') {
      if (!silent.has(feed)) logger.warn({ ...fields, t }, 'price feed does not answer: asked again');
      silent.add(feed);
      return undefined;
    }
    silent.delete(feed);
    if (reading.kind === 'confirmed') return reading.usd;
    const { description, decimals } = reading;
    logger.warn({ ...fields, description, decimals }, 'price feed is not what the table says: not used');
    off.add(feed);
    return undefined;
  };

  return {
    reads: feeds.flatMap(readsOfFeed),
    at: (t, results) => {
      const prices = new Map<Address, number>();
      if (results.length === 0) return prices;
      feeds.forEach((feed, index) => {
        if (off.has(feed)) return;
        const first = index * readsPerFeed;
        const usd = usdOf(feed, results.slice(first, first + readsPerFeed), t);
        if (usd !== undefined) prices.set(feed.asset, usd);
      });
      return prices;
    },
  };
}
