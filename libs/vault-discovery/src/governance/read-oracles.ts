import { findChainFacts } from '@yield-vault/contracts';
import { type Address, type Hex, zeroAddress } from 'viem';
import type { VaultFacts } from '../catalogue/parse-registry.js';
import { addressOf, type GroupReader, toRead, wordsOf } from './group-reader.js';
import { codeRead, withInspector } from './read-accounts.js';

type OracleWord = NonNullable<VaultFacts['oracle']>;

const feedFunctions = ['BASE_FEED_1()', 'BASE_FEED_2()', 'QUOTE_FEED_1()', 'QUOTE_FEED_2()'] as const;
const vaultFunctions = ['BASE_VAULT()', 'QUOTE_VAULT()'] as const;

/**
 * Say how oracles of Morpho markets find prices. Only oracles of Morpho's factory are judged by their feeds; others can
 * return anything.
 */
export async function readOracles(
  read: GroupReader,
  chainId: number,
  oracles: readonly Address[],
): Promise<ReadonlyMap<Address | null, OracleWord>> {
  const asked = [...new Set(oracles)].filter((oracle) => oracle !== zeroAddress);
  const factory = findChainFacts(chainId)?.morphoOracleFactory;
  const found = await read(
    asked.map((oracle) =>
      factory
        ? [
            toRead(factory, 'isMorphoChainlinkOracleV2(address)', oracle),
            ...[...vaultFunctions, ...feedFunctions].map((signature) => toRead(oracle, signature)),
          ]
        : [],
    ),
  );
  const used = found.map(([, , , ...feeds]) => feeds.map(addressOf));
  const isChainlink = await readFeeds(read, chainId, used.flat());
  const words = asked.map((oracle, index): [Address | null, OracleWord] => {
    const [ofFactory, ...vaults] = found[index]!.slice(0, 3);
    const feeds = used[index]!.filter((feed) => feed !== zeroAddress);
    // Without a feed the price is a constant.
    if (wordsOf(ofFactory)[0] !== 1n || feeds.length === 0 || !feeds.every(isChainlink))
      return [oracle, 'custom'];
    return [oracle, vaults.every((data) => addressOf(data) === zeroAddress) ? 'chainlink' : 'rate'];
  });
  return new Map([[null, 'none'], ...words]);
}

/**
 * Find out which feeds are Chainlink's: they have the code and the owner of a feed in the address book. Neither alone
 * proves it, because anybody can deploy the code or name an owner.
 */
async function readFeeds(
  read: GroupReader,
  chainId: number,
  feeds: readonly (Address | undefined)[],
): Promise<(feed: Address | undefined) => boolean> {
  const facts = findChainFacts(chainId);
  const priced = facts ? [facts.usdc, facts.wrappedNative, ...facts.tokens] : [];
  const book = priced.map(({ price }) => price.feed);
  const asked = [...new Set([...book, ...feeds.flatMap((feed) => feed ?? [])])];
  const found = await read(
    asked.map((feed) => [codeRead(feed), toRead(feed, 'owner()')]),
    withInspector,
  );
  const marks = new Map(asked.map((feed, index) => [feed, markOf(found[index]!)]));
  const known = new Set(book.map((feed) => marks.get(feed)));
  return (feed) => feed !== undefined && marks.get(feed) !== undefined && known.has(marks.get(feed));
}

/** Hash of the code, and owner; undefined without either. */
function markOf([code, owner]: readonly (Hex | undefined)[]): string | undefined {
  const [size, hash] = wordsOf(code);
  const named = addressOf(owner);
  return size && named ? `${hash} ${named}` : undefined;
}
