import type { Address } from 'viem';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { correctEntry } from './correct-entry.js';

const entry = buildRegistryEntry();
const weth: Address = '0x4200000000000000000000000000000000000006';
const ofWeth = buildRegistryEntry({ asset: { symbol: 'WETH', address: weth, decimals: 17 } });
const correct = (overrides: Partial<Parameters<typeof correctEntry>[1]>, registry = [entry, ofWeth]) => {
  const onChain = { asset: entry.asset.address, assetDecimals: 6, shareDecimals: 18, ...overrides };
  return correctEntry(entry, onChain, registry);
};

describe('correctEntry', () => {
  it('default: asset and decimals are those of the chain, the symbol that of the registry', () => {
    expect(correct({ asset: weth, assetDecimals: 18 })).toEqual({
      entry: { ...entry, asset: { symbol: 'WETH', address: weth, decimals: 18 } },
      shareDecimals: 18,
    });
  });

  it('behavior: decimals that the chain contradicts are those of the chain', () => {
    expect(correct({ assetDecimals: 8 }).entry.asset).toEqual({ ...entry.asset, decimals: 8 });
  });

  it('behavior: an asset that does not answer has the decimals of the registry', () => {
    expect(correct({ assetDecimals: undefined }).entry.asset).toEqual(entry.asset);
    expect(correct({ asset: weth, assetDecimals: undefined }).entry.asset).toEqual(ofWeth.asset);
  });

  it('behavior: an asset that nobody knows goes by its address, and counts in base units', () => {
    expect(correct({ asset: weth, assetDecimals: undefined }, [entry]).entry.asset).toEqual({
      ...{ symbol: weth, address: weth, decimals: 0 },
    });
  });

  it('behavior: shares without usable decimals count in base units', () => {
    expect(correct({ shareDecimals: undefined }).shareDecimals).toBe(0);
  });
});
