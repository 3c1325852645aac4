import { decodeFunctionResult, encodeFunctionData, parseAbi, type Hex } from 'viem';
import type { Read } from '../chain/read-contracts.js';
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

/** What a feed answered at a block. */
export type FeedReading =
  /** It did not say what it is: an outage, or a block before its time. */
  | { readonly kind: 'silent' }
  /** It is not what the table says; undefined is what does not decode. */
  | { readonly kind: 'other'; readonly description?: string; readonly decimals?: number }
  /** It is what the table says; without USD when its answer is no price, or too old at that time. */
  | { readonly kind: 'confirmed'; readonly usd?: number };

/** What a feed is asked at a block: what it is, and its price. */
export const readsOfFeed = ({ feed }: PriceFeed): Read[] =>
  askedFunctions.map((functionName) => ({
    target: feed,
    callData: encodeFunctionData({ abi: feedAbi, functionName }),
  }));

/**
 * Decode what a feed answered.
 *
 * @param results - of `readsOfFeed`, undefined where it did not answer
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
  const round = decoded(data, (answer) =>
    decodeFunctionResult({ abi: feedAbi, functionName: 'latestRoundData', data: answer }),
  );
  if (!round) return undefined;
  const [, answer, , updatedAt] = round;
  const isFresh = Math.abs(t - Number(updatedAt)) <= heartbeatSeconds * staleHeartbeats;
  return answer > 0n && isFresh ? Number(answer) / 10 ** decimals : undefined;
}

/** A call of an address without code succeeds, and returns nothing. */
const isSilence = (data: Hex | undefined) => data === undefined || data === '0x';

/** Contracts may answer anything. */
function decoded<T>(data: Hex | undefined, decode: (data: Hex) => T): T | undefined {
  try {
    return data && decode(data);
  } catch {
    return undefined;
  }
}

const spelling = (pair: string) => pair.replace(/\s/g, '').toLowerCase();
