import { type Address, concat, type Hex, keccak256, numberToHex } from 'viem';
import { createTableReader, type Response, type TableReader, words } from '../../test/table-reader.js';
import { readMarkets, withdrawableOf } from './read-markets.js';

const [vault, inner, adapter, marketAdapter, morpho, token] = [1n, 2n, 3n, 4n, 5n, 6n].map((end) =>
  numberToHex(end, { size: 20 }),
) as [Address, Address, Address, Address, Address, Address];
/** Parameters of a market, and its id. */
const parameters = words(token, token, token, token, 86n * 10n ** 16n);
const open = keccak256(parameters);
const full = words(7n);

describe('readMarkets', () => {
  let table: TableReader;
  const supplies = (account: Address, marketId: Hex, assets: bigint): Response => [
    morpho,
    'position(bytes32,address)',
    [marketId, account],
    words(assets * 1_000_000n, 0n, 0n),
  ];

  beforeEach(() => {
    table = createTableReader();
    table.respond(
      // 250 of 1,000 are idle, and 10 of 1,000.
      [morpho, 'market(bytes32)', [open], words(1_000n, 1_000_000_000n, 750n)],
      [morpho, 'market(bytes32)', [full], words(1_000n, 1_000_000_000n, 990n)],
      [morpho, 'idToMarketParams(bytes32)', [open], parameters],
      [morpho, 'idToMarketParams(bytes32)', [full], parameters],
      // Version 1: 300 in the open market, 100 in the full one.
      [inner, 'MORPHO()', [], words(morpho)],
      [inner, 'totalAssets()', [], words(400n)],
      [inner, 'withdrawQueueLength()', [], words(2n)],
      [inner, 'withdrawQueue(uint256)', [0n], open],
      [inner, 'withdrawQueue(uint256)', [1n], full],
      supplies(inner, open, 300n),
      supplies(inner, full, 100n),
      // Version 2: a half of that, and 40 in the open market.
      [vault, 'adaptersLength()', [], words(2n)],
      [vault, 'adapters(uint256)', [0n], words(adapter)],
      [vault, 'adapters(uint256)', [1n], words(marketAdapter)],
      [vault, 'totalAssets()', [], words(300n)],
      [adapter, 'morphoVaultV1()', [], words(inner)],
      [adapter, 'realAssets()', [], words(200n)],
      [marketAdapter, 'morpho()', [], words(morpho)],
      [marketAdapter, 'marketIdsLength()', [], words(1n)],
      [marketAdapter, 'marketIds(uint256)', [0n], open],
      supplies(marketAdapter, open, 40n),
    );
  });

  const amounts = async (address: Address) =>
    (await readMarkets(table.read, [address]))[0]!.positions.map(({ marketId, assets }) => [
      marketId,
      assets,
    ]);

  it('default: version 1 lends from its withdraw queue', async () => {
    expect(await amounts(inner)).toEqual([
      [open, 300n],
      [full, 100n],
    ]);
  });

  it('behavior: version 2 lends through its adapters', async () => {
    expect(await amounts(vault)).toEqual([
      [open, 150n],
      [full, 50n],
      [open, 40n],
    ]);
  });

  it('behavior: an adapter that says nothing leaves the look-through incomplete', async () => {
    table.silence(marketAdapter, 'marketIdsLength()');
    expect(await readMarkets(table.read, [vault, inner, token])).toMatchObject([
      { version: 2, isComplete: false },
      { version: 1, isComplete: true },
      undefined,
    ]);
  });

  it('behavior: a redeem takes what is idle in markets that are lent out to less than 98 %', async () => {
    const [look] = await readMarkets(table.read, [inner]);
    expect(withdrawableOf(look!)).toBe(250n);
  });

  it.each<[string, readonly Response[], bigint]>([
    ['nothing', [], 0n],
    ['a vault of version 1', [[vault, 'liquidityAdapter()', [], words(adapter)]], 150n],
    [
      'one market',
      [
        [vault, 'liquidityAdapter()', [], words(marketAdapter)],
        [vault, 'liquidityData()', [], concat([words(32n, 160n), parameters])],
      ],
      40n,
    ],
  ])(
    'behavior: a redeem of version 2 reaches only its liquidity adapter: %s',
    async (_, entries, expected) => {
      table.respond(...entries);
      const [look] = await readMarkets(table.read, [vault]);
      expect(withdrawableOf(look!)).toBe(expected);
    },
  );

  it('behavior: a list of 2^255 markets is not read', async () => {
    table.respond([inner, 'withdrawQueueLength()', [], words(2n ** 255n)]);
    expect(await readMarkets(table.read, [inner])).toMatchObject([{ positions: [], isComplete: false }]);
  });
});
