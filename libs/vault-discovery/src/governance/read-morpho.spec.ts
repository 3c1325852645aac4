import type { IAccrualVaultV2Adapter, Market } from '@morpho-org/blue-sdk';
import { type Address, type Hex, keccak256, numberToHex, zeroAddress } from 'viem';
import { positionsOfV2, withdrawableOf } from './read-morpho.js';

const [adapter, marketAdapter] = [1n, 2n].map((end) => numberToHex(end, { size: 20 })) as [Address, Address];
/** Stands for the parameters of the open market. */
const parameters: Hex = '0x01';
const build = (id: Hex, liquidity: bigint) =>
  ({
    id,
    liquidity,
    utilization: (1_000n - liquidity) * 10n ** 15n,
    toSupplyAssets: (shares: bigint) => shares,
  }) as Partial<Market> as Market;
// Of 1,000 each.
const [open, full] = [build(keccak256(parameters), 250n), build('0x07', 10n)];
const holding = (market: Market, supplyAssets: bigint) =>
  [market.id, { position: { market, supplyAssets } }] as const;

const lookThrough = (liquidityAdapter: Address, liquidityData: Hex = '0x') =>
  positionsOfV2({
    accrualAdapters: [
      // A half of a vault of version 1.
      {
        address: adapter,
        accrualVaultV1: { totalSupply: 8n, allocations: new Map([holding(open, 600n), holding(full, 100n)]) },
        shares: 4n,
      },
      // Nobody has entered this one.
      {
        address: zeroAddress,
        accrualVaultV1: { totalSupply: 0n, allocations: new Map([holding(full, 0n)]) },
        shares: 0n,
      },
      { address: marketAdapter, markets: [open], supplyShares: { [open.id]: 40n } },
    ] as unknown as IAccrualVaultV2Adapter[],
    liquidityAdapter,
    liquidityData,
  });

describe('read-morpho', () => {
  it('default: version 2 lends through its adapters', () => {
    expect(lookThrough(zeroAddress).map(({ market, assets }) => [market.id, assets])).toEqual([
      [open.id, 300n],
      [full.id, 50n],
      [full.id, 0n],
      [open.id, 40n],
    ]);
  });

  it.each<[string, [Address, Hex?], bigint]>([
    ['nothing', [zeroAddress], 0n],
    ['a vault of version 1, less what is lent out', [adapter], 250n],
    ['one market', [marketAdapter, parameters], 40n],
    ['another market', [marketAdapter], 0n],
  ])('behavior: a redeem of version 2 reaches only its liquidity adapter: %s', (_, use, expected) => {
    expect(withdrawableOf(lookThrough(...use))).toBe(expected);
  });
});
