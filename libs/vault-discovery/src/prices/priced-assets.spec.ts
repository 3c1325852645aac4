import type { Address } from 'viem';
import type { VaultFacts } from '../catalogue/parse-registry.js';
import { toPricedAssets } from './priced-assets.js';

const address: Address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const entry = (symbol: string, assetClass?: VaultFacts['assetClass'], at = address) => ({
  asset: { symbol, address: at, decimals: 6 },
  facts: { assetClass },
});

describe('toPricedAssets', () => {
  it('default: each asset once, pegged by its class', () => {
    const lower = address.toLowerCase() as Address;
    const weth: Address = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
    expect(
      toPricedAssets([
        entry('USDC', 'fiat_stable'),
        entry('USDC', 'fiat_stable', lower),
        entry('WETH', 'native', weth),
      ]),
    ).toEqual([
      { address, isUsdPegged: true },
      { address: weth, isUsdPegged: false },
    ]);
  });

  it.each(['EURC', 'EURe', 'GBPT', 'XSGD'])('behavior: %s is no dollar', (symbol) => {
    expect(toPricedAssets([entry(symbol, 'fiat_stable')])[0]?.isUsdPegged).toBe(false);
  });

  it('behavior: not pegged when an entry does not say so', () => {
    const disagreeing = [entry('USDX', 'fiat_stable'), entry('USDX', 'synthetic_stable')];
    expect(toPricedAssets(disagreeing)[0]?.isUsdPegged).toBe(false);
    expect(toPricedAssets(disagreeing.reverse())[0]?.isUsdPegged).toBe(false);
    expect(toPricedAssets([entry('USDX')])[0]?.isUsdPegged).toBe(false);
  });
});
