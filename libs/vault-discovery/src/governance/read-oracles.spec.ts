import { chainFacts } from '@yield-vault/contracts';
import { type Address, numberToHex, zeroAddress } from 'viem';
import { createTableReader, type TableReader, words } from '../../test/table-reader.js';
import { codeRead } from './read-accounts.js';
import { readOracles } from './read-oracles.js';

const usdcFeed = chainFacts(8453).usdc.price.feed;
const factory: Address = '0x2DC205F24BCb6B311E5cdf0745B0741648Aebd3d';
const [oracle, feed, copy, namesake, chainlink, other] = [1n, 2n, 3n, 4n, 5n, 6n].map((end) =>
  numberToHex(end, { size: 20 }),
) as [Address, Address, Address, Address, Address, Address];

describe('readOracles', () => {
  let table: TableReader;
  const place = (address: Address, code: bigint, owner: Address) => {
    table.respondTo(codeRead(address), words(1n, code, 0n));
    table.respond([address, 'owner()', [], words(owner)]);
  };
  const configure = (ofFactory: bigint, vault: Address, ...feeds: Address[]) =>
    table.respond(
      [factory, 'isMorphoChainlinkOracleV2(address)', [oracle], words(ofFactory)],
      [oracle, 'BASE_VAULT()', [], words(vault)],
      [oracle, 'QUOTE_VAULT()', [], words(zeroAddress)],
      ...['BASE_FEED_1()', 'BASE_FEED_2()', 'QUOTE_FEED_1()', 'QUOTE_FEED_2()'].map(
        (name, index) => [oracle, name, [], words(feeds[index] ?? zeroAddress)] as const,
      ),
    );
  const wordOf = async () => (await readOracles(table.read, 8453, new Set([oracle]))).get(oracle);

  beforeEach(() => {
    table = createTableReader();
    place(usdcFeed, 7n, chainlink);
    place(feed, 7n, chainlink);
    // Anybody can deploy the code of a feed, or name its owner.
    place(copy, 7n, other);
    place(namesake, 8n, chainlink);
  });

  it.each<[string, () => void, string]>([
    ['two feeds of Chainlink', () => configure(1n, zeroAddress, feed, zeroAddress, usdcFeed), 'chainlink'],
    ['the rate of a vault, and a feed of Chainlink', () => configure(1n, other, feed), 'rate'],
    ['a copy of a feed', () => configure(1n, zeroAddress, feed, copy), 'custom'],
    ['a contract that names the owner of feeds', () => configure(1n, zeroAddress, namesake), 'custom'],
    ['a constant', () => configure(1n, zeroAddress), 'custom'],
    ['an oracle that another factory made', () => configure(0n, zeroAddress, feed), 'custom'],
    ['an oracle that says nothing', () => undefined, 'custom'],
  ])('default: %s', async (_, arrange, expected) => {
    arrange();
    expect(await wordOf()).toBe(expected);
  });
});
