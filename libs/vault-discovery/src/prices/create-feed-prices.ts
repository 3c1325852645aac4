import type { ActiveChain } from '@yield-vault/chains';
import type { TokenFacts } from '@yield-vault/contracts';
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { LoggerPort } from '@yield-vault/protocol';
import { decodeResult, type Read } from '../chain/read-contracts.js';

const feedAbi = parseAbi([
  'function description() view returns (string)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);
const functionNames = ['description', 'decimals', 'latestRoundData'] as const;
const staleHeartbeats = 1.5;
/** Of every feed in the facts of chains: our paymaster reads no others. */
const feedDecimals = 8;

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
 * Read the feeds of tokens. A feed has to confirm at the same block what the facts of its chain say about it. A silent feed has no price at that block and
 * is read again at the next. A feed that contradicts the facts is not used again until a restart.
 */
export function createFeedPrices(
  { chain, logger }: { readonly chain: Pick<ActiveChain, 'key'>; readonly logger: LoggerPort },
  tokens: readonly TokenFacts[],
): FeedPrices {
  const off = new Set<TokenFacts>();
  const silent = new Set<TokenFacts>();

  const usdOf = (token: TokenFacts, [descriptionData, decimalsData, roundData]: Results, t: number) => {
    const { feed, description: expected, heartbeatSeconds } = token.price;
    const fields = { chain: chain.key, feed, expected };
    if (isSilence(descriptionData) || isSilence(decimalsData)) {
      if (!silent.has(token))
        logger.warn({ ...fields, t }, 'price feed does not respond: read again at the next block');
      silent.add(token);
      return undefined;
    }
    silent.delete(token);
    const description = decodeResult(feedAbi, 'description', descriptionData) as string | undefined;
    const decimals = decodeResult(feedAbi, 'decimals', decimalsData) as number | undefined;
    const isPair = description !== undefined && spelling(description) === spelling(expected);
    if (isPair && decimals === feedDecimals) return usdOfRound(roundData, t, heartbeatSeconds);
    logger.warn(
      { ...fields, description, decimals },
      'price feed contradicts the facts of its chain: not used until a restart',
    );
    off.add(token);
    return undefined;
  };

  return {
    reads: tokens.flatMap(({ price }) =>
      functionNames.map((functionName) => ({
        target: price.feed,
        callData: encodeFunctionData({ abi: feedAbi, functionName }),
      })),
    ),
    at: (t, results) => {
      const prices = new Map<Address, number>();
      if (results.length === 0) return prices;
      tokens.forEach((token, index) => {
        if (off.has(token)) return;
        const first = index * functionNames.length;
        const usd = usdOf(token, results.slice(first, first + functionNames.length), t);
        if (usd !== undefined) prices.set(token.address, usd);
      });
      return prices;
    },
  };
}

function usdOfRound(data: Hex | undefined, t: number, heartbeatSeconds: number) {
  const round = decodeResult(feedAbi, 'latestRoundData', data) as readonly bigint[] | undefined;
  if (!round) return undefined;
  const [, answer, , updatedAt] = round;
  const isFresh = Math.abs(t - Number(updatedAt)) <= heartbeatSeconds * staleHeartbeats;
  return answer! > 0n && isFresh ? Number(answer) / 10 ** feedDecimals : undefined;
}

/** A call of an address without code succeeds, and returns nothing. */
const isSilence = (data: Hex | undefined) => data === undefined || data === '0x';

const spelling = (pair: string) => pair.replace(/\s/g, '').toLowerCase();
