import type { ActiveChain } from '@yield-vault/chains';
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { LoggerPort } from '@yield-vault/protocol';
import { decodeResult, type Read } from '../chain/read-contracts.js';
import type { PriceFeed } from './feed-table.js';

const feedAbi = parseAbi([
  'function description() view returns (string)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);
const functionNames = ['description', 'decimals', 'latestRoundData'] as const;
const staleHeartbeats = 1.5;
const maxDecimals = 36;

type Results = readonly (Hex | undefined)[];

/** Prices of feeds at a block. */
export interface FeedPrices {
  readonly reads: readonly Read[];
  /**
   * @param t - of the block, Unix seconds
   * @param results - of `reads` at that block; empty where no node has its state
   * @returns USD by asset, of those that a feed prices
   */
  at(t: number, results: Results): ReadonlyMap<Address, number>;
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

  const usdOf = (feed: PriceFeed, [descriptionData, decimalsData, roundData]: Results, t: number) => {
    const fields = { chain: chain.key, feed: feed.feed, expected: feed.pair };
    if (isSilence(descriptionData) || isSilence(decimalsData)) {
      if (!silent.has(feed))
        logger.warn({ ...fields, t }, 'price feed does not respond: read again at the next block');
      silent.add(feed);
      return undefined;
    }
    silent.delete(feed);
    const description = decodeResult(feedAbi, 'description', descriptionData) as string | undefined;
    const decimals = decodeResult(feedAbi, 'decimals', decimalsData) as number | undefined;
    const isPair = description !== undefined && spelling(description) === spelling(feed.pair);
    if (isPair && decimals !== undefined && decimals <= maxDecimals)
      return usdOfRound(roundData, decimals, t, feed.heartbeatSeconds);
    logger.warn(
      { ...fields, description, decimals },
      'price feed contradicts the table: not used until a restart',
    );
    off.add(feed);
    return undefined;
  };

  return {
    reads: feeds.flatMap(({ feed }) =>
      functionNames.map((functionName) => ({
        target: feed,
        callData: encodeFunctionData({ abi: feedAbi, functionName }),
      })),
    ),
    at: (t, results) => {
      const prices = new Map<Address, number>();
      if (results.length === 0) return prices;
      feeds.forEach((feed, index) => {
        if (off.has(feed)) return;
        const first = index * functionNames.length;
        const usd = usdOf(feed, results.slice(first, first + functionNames.length), t);
        if (usd !== undefined) prices.set(feed.asset, usd);
      });
      return prices;
    },
  };
}

function usdOfRound(data: Hex | undefined, decimals: number, t: number, heartbeatSeconds: number) {
  const round = decodeResult(feedAbi, 'latestRoundData', data) as readonly bigint[] | undefined;
  if (!round) return undefined;
  const [, answer, , updatedAt] = round;
  const isFresh = Math.abs(t - Number(updatedAt)) <= heartbeatSeconds * staleHeartbeats;
  return answer! > 0n && isFresh ? Number(answer) / 10 ** decimals : undefined;
}

/** A call of an address without code succeeds, and returns nothing. */
const isSilence = (data: Hex | undefined) => data === undefined || data === '0x';

const spelling = (pair: string) => pair.replace(/\s/g, '').toLowerCase();
