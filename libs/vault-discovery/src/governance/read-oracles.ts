import { findChainFacts } from '@yield-vault/contracts';
import { type Address, zeroAddress } from 'viem';
import type { VaultFacts } from '../catalogue/parse-registry.js';
import { addressesOf, addressOf, type GroupReader, toRead, wordsOf } from './group-reader.js';
import { codeRead, withInspector } from './read-accounts.js';

export type OracleWord = NonNullable<VaultFacts['oracle']>;

const parts = [
  'BASE_VAULT()',
  'QUOTE_VAULT()',
  'BASE_FEED_1()',
  'BASE_FEED_2()',
  'QUOTE_FEED_1()',
  'QUOTE_FEED_2()',
];

/**
 * Say how oracles of Morpho markets find prices; null stands for none. Only oracles of Morpho's factory are judged by
 * their feeds; others can return anything.
 */
export async function readOracles(
  read: GroupReader,
  chainId: number,
  oracles: ReadonlySet<Address>,
): Promise<ReadonlyMap<Address | null, OracleWord>> {
  if (oracles.size === 0) return new Map();
  const { getChainAddresses } = await import('@morpho-org/blue-sdk');
  const { chainlinkOracleFactory: factory = zeroAddress } = getChainAddresses(chainId);
  const asked = [...oracles];
  const found = await read(
    asked.map((oracle) => [
      toRead(factory, 'isMorphoChainlinkOracleV2(address)', oracle),
      ...parts.map((signature) => toRead(oracle, signature)),
    ]),
  );
  const isChainlink = await readFeeds(
    read,
    chainId,
    found.flatMap(([, , , ...feeds]) => addressesOf(feeds)),
  );
  const words = found.map(([made, base, quote, ...data]): OracleWord => {
    const feeds = addressesOf(data);
    // Without a feed the price is a constant.
    if (wordsOf(made)[0] !== 1n || feeds.length === 0 || !feeds.every(isChainlink)) return 'custom';
    return addressesOf([base, quote]).length > 0 ? 'rate' : 'chainlink';
  });
  return new Map<Address | null, OracleWord>([
    ...asked.map((oracle, index) => [oracle, words[index]!] as const),
    [null, 'none'],
  ]);
}

/**
 * Find out which feeds are Chainlink's: they have the code and the owner of a feed in the address book. Neither alone
 * proves it, because anybody can deploy the code or name an owner.
 */
async function readFeeds(read: GroupReader, chainId: number, feeds: readonly Address[]) {
  const facts = findChainFacts(chainId);
  const book = facts ? [facts.usdc, facts.wrappedNative, ...facts.tokens] : [];
  const asked = [...book.map(({ price }) => price.feed), ...feeds];
  const found = await read(
    asked.map((feed) => [codeRead(feed), toRead(feed, 'owner()')]),
    withInspector,
  );
  const marks = found.map(([code, owner]) => {
    const [size, hash] = wordsOf(code);
    const named = addressOf(owner);
    return size && named && `${hash} ${named}`;
  });
  const known = marks.slice(0, book.length);
  return (feed: Address) => {
    const mark = marks[asked.indexOf(feed)];
    return Boolean(mark) && known.includes(mark);
  };
}
