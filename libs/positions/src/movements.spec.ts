import { buildRankedVault } from '@yield-vault/testing';
import { chooseHistoricBlocks } from './movements.js';
import type { ShareMovement } from './types.js';

const received = (blockNumber: bigint, shares: bigint): ShareMovement => ({
  kind: 'transfer-in',
  shares,
  assets: undefined,
  blockNumber,
  logIndex: 0,
});

const dollar = buildRankedVault({ shareDecimals: 6, sharePrice: 1, assetPriceUsd: 1 });
const ether = buildRankedVault({ shareDecimals: 18, sharePrice: 1, assetPriceUsd: 3_000 });
const unpriced = buildRankedVault({ shareDecimals: 6, sharePrice: 1, assetPriceUsd: Number.NaN });

describe('chooseHistoricBlocks', () => {
  it('default: every block in which shares without a price came by transfer', () => {
    const movements = [
      received(1n, 1n),
      received(2n, 1n),
      { ...received(3n, 1n), kind: 'deposit' as const },
      { ...received(4n, 1n), assets: 7n },
    ];
    const holdings = [
      { vault: dollar, movements },
      { vault: ether, movements: [] },
    ];
    expect(chooseHistoricBlocks(holdings)).toEqual([new Set([1n, 2n]), new Set()]);
  });

  it('behavior: above the limit those in which the most came, in USD and over all vaults', () => {
    const holdings = [
      { vault: unpriced, movements: [received(1n, 10n ** 30n)] },
      { vault: dollar, movements: [received(1n, 2_000n), received(2n, 1_999n), received(3n, 1n)] },
      // 10^12 base units are 0.003 USD.
      { vault: ether, movements: [received(1n, 10n ** 12n), received(4n, 1n)] },
    ];
    expect(chooseHistoricBlocks(holdings, 2)).toEqual([new Set(), new Set([1n]), new Set([1n])]);
    expect(chooseHistoricBlocks(holdings, 3)).toEqual([new Set(), new Set([1n, 2n]), new Set([1n])]);
  });

  it('behavior: no number of small transfers takes the read from a larger one', () => {
    const dust = Array.from({ length: 5_000 }, (_, index) => received(BigInt(index), 1n));
    const [blocks] = chooseHistoricBlocks([{ vault: dollar, movements: [...dust, received(9_999n, 2n)] }]);
    expect(blocks!.size).toBe(100);
    expect(blocks!.has(9_999n)).toBe(true);
  });
});
