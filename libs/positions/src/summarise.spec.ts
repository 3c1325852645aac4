import { buildRankedVault } from '@yield-vault/testing';
import { summarise as summariseChains, type PricedChain } from './summarise.js';
import type { Holding } from './types.js';

const holding = (overrides: Partial<Holding>): Holding => ({
  vault: buildRankedVault(),
  shares: 96_000_000n,
  costBasis: 100_000_000n,
  realised: 0n,
  currentValue: 101_500_000n,
  openedAtSeconds: 1_750_000_000,
  isComplete: true,
  ...overrides,
});

const weth = buildRankedVault({
  name: 'Steady WETH',
  vaultAddress: '0x4000000000000000000000000000000000000004',
  asset: { symbol: 'WETH', address: '0x4200000000000000000000000000000000000006', decimals: 18 },
  assetPriceUsd: 3_200,
  apy: { now: 3, week: 2, month: 1 },
});

const chainOf = (overrides: Partial<PricedChain>): PricedChain => ({
  chain: 'base',
  holdings: [],
  gasPaidUsd: 0,
  setup: 'ready',
  idle: [],
  exitPrices: undefined,
  ...overrides,
});
const summarise = (holdings: readonly Holding[], gasPaidUsd: number) =>
  summariseChains([chainOf({ holdings, gasPaidUsd })]);

describe('summarise', () => {
  it('default: no holdings', () => {
    expect(summarise([], 0)).toEqual({
      positions: [],
      totalValueUsd: 0,
      totalDeposited: 0,
      totalYieldEarned: 0,
      totalGasPaidUsd: 0,
      positionCount: 0,
      wallets: { base: { setup: 'ready', idle: [], exitGasUsd: 0 } },
    });
  });

  it('behavior: each chain has the price of leaving its positions, null while it is unknown', () => {
    const onEthereum = holding({ vault: { ...buildRankedVault(), chain: 'ethereum' } });
    const dust = holding({ currentValue: 9n });
    const chains = [
      chainOf({ holdings: [holding({}), holding({}), dust], exitPrices: () => ({ redeemGasUsd: 0.12 }) }),
      chainOf({ chain: 'ethereum', holdings: [onEthereum], setup: 'none' }),
      chainOf({ chain: 'optimism', holdings: [dust] }),
    ];
    expect(summariseChains(chains).wallets).toEqual({
      base: { setup: 'ready', idle: [], exitGasUsd: 0.24 },
      ethereum: { setup: 'none', idle: [], exitGasUsd: null },
      optimism: { setup: 'ready', idle: [], exitGasUsd: 0 },
    });
  });

  it('behavior: amounts in units of the asset, totals in USD, the largest first', () => {
    const status = summarise(
      [holding({}), holding({ vault: weth, costBasis: 10n ** 18n, currentValue: 9n * 10n ** 17n })],
      0,
    );
    expect(status.positions).toEqual([
      {
        vaultId: weth.vaultId,
        vaultAddress: weth.vaultAddress,
        vaultName: 'Steady WETH',
        protocol: 'Local',
        chain: 'base',
        asset: 'WETH',
        shares: '96000000',
        depositedAmount: '1',
        costBasis: 'exact',
        currentValue: '0.9',
        apy: 3,
        unrealizedYield: '-0.1',
        depositTimestamp: '2025-06-15T15:06:40.000Z',
      },
      expect.objectContaining({
        depositedAmount: '100',
        currentValue: '101.5',
        unrealizedYield: '1.5',
        apy: 5,
      }),
    ]);
    expect(status).toMatchObject({
      totalValueUsd: 2_981.5,
      totalDeposited: 3_300,
      totalYieldEarned: -318.5,
      positionCount: 2,
    });
  });

  it('behavior: a closed position shows only in the yield earned', () => {
    const closed = holding({ costBasis: 0n, currentValue: 0n, realised: 2_500_000n, openedAtSeconds: 0 });
    expect(summarise([closed], 0)).toMatchObject({
      positions: [],
      totalValueUsd: 0,
      totalYieldEarned: 2.5,
      positionCount: 0,
    });
  });

  it('behavior: shares whose purchase has not been read are no yield', () => {
    const status = summarise(
      [holding({ costBasis: 1_000_000n, realised: 2_500_000n, isComplete: false })],
      0,
    );
    expect(status.positions).toMatchObject([
      { depositedAmount: '1', unrealizedYield: '100.5', costBasis: 'pending' },
    ]);
    expect(status).toMatchObject({ totalDeposited: 1, totalYieldEarned: 2.5 });
  });

  it.each([0, Number.NaN])('behavior: shows a position at a price of %s, and totals without it', (price) => {
    const unpriced = holding({
      vault: { ...weth, assetPriceUsd: price },
      ...{ costBasis: 10n ** 18n, currentValue: 2n * 10n ** 18n, realised: 10n ** 18n },
    });
    const status = summarise([unpriced, holding({ realised: 2_500_000n })], 0);
    expect(status.positions).toMatchObject([
      { vaultName: 'Steady USDC' },
      { vaultName: 'Steady WETH', currentValue: '2', unrealizedYield: '1' },
    ]);
    expect(status).toMatchObject({
      totalValueUsd: 101.5,
      totalDeposited: 100,
      totalYieldEarned: 4,
      positionCount: 2,
    });
  });

  it('behavior: gas is in no other total', () => {
    const { totalGasPaidUsd, ...others } = summarise([holding({})], 4.9000004);
    expect(totalGasPaidUsd).toBe(4.9);
    expect(others).toEqual(expect.objectContaining({ totalYieldEarned: 1.5, totalDeposited: 100 }));
  });

  it.each([
    ['below 0.01 USD', { costBasis: 0n, currentValue: 9_999n }],
    ['below 10 base units', { vault: { ...weth, assetPriceUsd: 1e18 }, currentValue: 9n }],
    ['below 10 base units without a price', { vault: { ...weth, assetPriceUsd: 0 }, currentValue: 9n }],
  ])('behavior: hides dust %s', (_, change) => {
    expect(summarise([holding(change)], 0)).toMatchObject({ positionCount: 0, totalValueUsd: 0 });
  });
});
