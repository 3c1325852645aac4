import type { Market } from '@morpho-org/blue-sdk';
import { type Address, numberToHex, zeroAddress } from 'viem';
import { createTableReader, words } from '../../test/table-reader.js';
import { describeMarkets } from './describe-markets.js';
import type { MorphoVault } from './read-morpho.js';

const table = createTableReader();
const account = (end: number): Address => numberToHex(end, { size: 20 });
const share = account(1);
table.respond([share, 'asset()', [], words(account(2))]);

type Lending = readonly (readonly [percent: number, collateral: Address])[];

/** Words of a vault, whose loans have oracles of others. */
const wordsOf = async (markets: Lending) => {
  const positions = markets.map(([percent, collateralToken], index) => ({
    market: {
      id: numberToHex(index, { size: 32 }),
      params: {
        collateralToken,
        oracle: collateralToken === zeroAddress ? zeroAddress : account(100 + index),
        lltv: 0n,
      },
      utilization: 0n,
    } as unknown as Market,
    assets: BigInt(percent),
  }));
  const vault = { totalAssets: 100n, positions } as unknown as MorphoVault;
  return (await describeMarkets(table.read, 8453, [vault]))[0]!.words;
};

describe('describeMarkets', () => {
  it.each<[string, Lending, object]>([
    ['one market', [[100, account(3)]], { oracle: 'custom', strategy: 'isolated' }],
    [
      'less than a tenth lent',
      [
        [91, zeroAddress],
        [9, account(3)],
      ],
      { oracle: 'none', strategy: 'lending' },
    ],
    [
      'many small markets',
      [[11, zeroAddress], ...Array.from({ length: 10 }, (_, index) => [8, account(3 + index)] as const)],
      { oracle: 'custom', strategy: 'multi_market' },
    ],
    [
      'a tenth in two kinds of markets',
      [
        [89, zeroAddress],
        [6, share],
        [5, account(3)],
      ],
      { oracle: 'custom', strategy: 'multi_market' },
    ],
    ['shares of a vault', [[100, share]], { oracle: 'custom', strategy: 'aggregator' }],
  ])('default: %s', async (_, markets, expected) => {
    expect(await wordsOf(markets)).toEqual(expected);
  });
});
