import type { ActiveChain } from '@yield-vault/chains';
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { Read } from '../chain/read-contracts.js';
import type { LoggerPort } from '../ports.js';
import type { PriceFeed } from './feed-table.js';

const feedAbi = parseAbi([
  'function description() view returns (string)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);
const askedFunctions = ['description', 'decimals', 'latestRoundData'] as const;
export const readsPerFeed = askedFunctions.length;
const staleHeartbeats = 1.5;
const maxDecimals = 36;

/** The response of a feed at a block. */
export type FeedReading =
  /** It did not respond: an outage, or a block before its deployment. */
  | { readonly kind: 'silent' }
  /** It contradicts the table; values that do not decode are undefined. */
  | { readonly kind: 'other'; readonly description?: string; readonly decimals?: number }
  /** It matches the table; without USD when its price is invalid or too old. */
  | { readonly kind: 'confirmed'; readonly usd?: number };

/** The reads of a feed at a block: its description, decimals and price. */
export const readsOfFeed = ({ feed }: PriceFeed): Read[] =>
  askedFunctions.map((functionName) => ({
    target: feed,
    callData: encodeFunctionData({ abi: feedAbi, functionName }),
  }));

/**
 * Decode the response of a feed.
 *
 * @param results - of `readsOfFeed`, undefined where it did not respond
 * @param t - of the block, Unix seconds
 */
export function readFeed(feed: PriceFeed, results: readonly (Hex | undefined)[], t: number): FeedReading {
  const [descriptionData, decimalsData, roundData] = results;
  if (isSilence(descriptionData) || isSilence(decimalsData)) return { kind: 'silent' };
  const description = decoded(descriptionData, (data) =>
    decodeFunctionResult({ abi: feedAbi, functionName: 'description', data }),
  );
  const decimals = decoded(decimalsData, (data) =>
    decodeFunctionResult({ abi: feedAbi, functionName: 'decimals', data }),
  );
  const isPair = description !== undefined && spelling(description) === spelling(feed.pair);
  if (!isPair || decimals === undefined || decimals > maxDecimals)
    return { kind: 'other', description, decimals };
  return { kind: 'confirmed', usd: usdOf(roundData, decimals, t, feed.heartbeatSeconds) };
}

function usdOf(data: Hex | undefined, decimals: number, t: number, heartbeatSeconds: number) {
  const round = decoded(data, (response) =>
    decodeFunctionResult({ abi: feedAbi, functionName: 'latestRoundData', data: response }),
  );
  if (!round) return undefined;
  const [, response, , updatedAt] = round;
  const isFresh = Math.abs(t - Number(updatedAt)) <= heartbeatSeconds * staleHeartbeats;
  return response > 0n && isFresh ? Number(response) / 10 ** decimals : undefined;
}

/** A call of an address without code succeeds, and returns nothing. */
const isSilence = (data: Hex | undefined) => data === undefined || data === '0x';

/** Contracts may return anything. */
function decoded<T>(data: Hex | undefined, decode: (data: Hex) => T): T | undefined {
  try {
    return data && decode(data);
  } catch {
    return undefined;
  }
}

const spelling = (pair: string) => pair.replace(/\s/g, '').toLowerCase();

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
 * Read feeds that confirm at the same block what the table says about them. A silent feed has no price at that block and
 * is read again at the next. A feed that contradicts the table is not used again until a restart.
 */
export function createFeedPrices(
  { chain, logger }: { readonly chain: Pick<ActiveChain, 'key'>; readonly logger: LoggerPort },
  feeds: readonly PriceFeed[],
): FeedPrices {
  const off = new Set<PriceFeed>();
  const silent = new Set<PriceFeed>();

  const usdOf = (feed: PriceFeed, results: readonly (Hex | undefined)[], t: number) => {
    const reading = readFeed(feed, results, t);
    const fields = { chain: chain.key, feed: feed.feed, expected: feed.pair };
    if (reading.kind === 'silent') {
      if (!silent.has(feed))
        logger.warn({ ...fields, t }, 'price feed does not respond: read again at the next block');
      silent.add(feed);
      return undefined;
    }
    silent.delete(feed);
    if (reading.kind === 'confirmed') return reading.usd;
    const { description, decimals } = reading;
    logger.warn(
      { ...fields, description, decimals },
      'price feed contradicts the table: not used until a restart',
    );
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
