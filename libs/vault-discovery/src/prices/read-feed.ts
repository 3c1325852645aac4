import { decodeFunctionResult, encodeFunctionData, parseAbi, type Hex } from 'viem';
import { readBatches, toBatches, type Read } from '../chain/read-contracts.js';
import type { PricerDeps } from './create-pricer.js';
import type { PriceFeed } from './feed-table.js';

const feedAbi = parseAbi([
  'function description() view returns (string)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);
const staleHeartbeats = 1.5;
const readsPerFeed = 2;
const batchSize = 100;
const maxDecimals = 36;

/** A feed that is what the table says. */
export interface ConfirmedFeed extends PriceFeed {
  readonly decimals: number;
}

/**
 * Ask feeds what they are, and leave out, with a warning, those that do not say what the table says.
 *
 * @throws what the client throws when the node is down
 */
export async function confirmFeeds(
  { chain, logger }: Pick<PricerDeps, 'chain' | 'logger'>,
  feeds: readonly PriceFeed[],
): Promise<readonly ConfirmedFeed[]> {
  const reads = feeds.flatMap(({ feed }) => [call(feed, 'description'), call(feed, 'decimals')]);
  const results = await readBatches(chain.rpc, toBatches(reads, batchSize));
  return feeds.flatMap((feed, index) => {
    const description = decoded(results[index * readsPerFeed], (data) =>
      decodeFunctionResult({ abi: feedAbi, functionName: 'description', data }),
    );
    const decimals = decoded(results[index * readsPerFeed + 1], (data) =>
      decodeFunctionResult({ abi: feedAbi, functionName: 'decimals', data }),
    );
    if (description !== undefined && spelling(description) === spelling(feed.pair))
      if (decimals !== undefined && decimals <= maxDecimals) return [{ ...feed, decimals }];
    logger.warn(
      { chain: chain.key, feed: feed.feed, expected: feed.pair, description, decimals },
      'price feed is not what the table says: not used',
    );
    return [];
  });
}

/** What a block is asked for. */
export const readOfFeed = ({ feed }: PriceFeed): Read => call(feed, 'latestRoundData');

/** @returns USD; undefined when the feed did not answer, or its answer is no price or too old at that time */
export function priceOfFeed(
  { heartbeatSeconds, decimals }: ConfirmedFeed,
  data: Hex | undefined,
  t: number,
): number | undefined {
  const round = decoded(data, (answer) =>
    decodeFunctionResult({ abi: feedAbi, functionName: 'latestRoundData', data: answer }),
  );
  if (!round) return undefined;
  const [, answer, , updatedAt] = round;
  const isFresh = Math.abs(t - Number(updatedAt)) <= heartbeatSeconds * staleHeartbeats;
  return answer > 0n && isFresh ? Number(answer) / 10 ** decimals : undefined;
}

const call = (target: PriceFeed['feed'], functionName: (typeof feedAbi)[number]['name']): Read => ({
  target,
  callData: encodeFunctionData({ abi: feedAbi, functionName }),
});

/** Contracts may answer anything; what does not decode counts as no answer. */
function decoded<T>(data: Hex | undefined, decode: (data: Hex) => T): T | undefined {
  try {
    return data && decode(data);
  } catch {
    return undefined;
  }
}

const spelling = (pair: string) => pair.replace(/\s/g, '').toLowerCase();
