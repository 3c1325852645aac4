import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { probeAmount } from './probe-amount.js';

const asset = { symbol: 'X', address: '0x00000000000000000000000000000000000000aa', decimals: 18 } as const;

describe('probeAmount', () => {
  it('default: ten units of a stable coin', () => {
    expect(probeAmount(buildRegistryEntry())).toBe(10_000_000n);
  });

  it.each([
    ['native', 18, 10n ** 16n],
    ['wrapped_btc', 8, 20_000n],
    ['cdp_stable', 18, 10n ** 19n],
  ] as const)('behavior: about ten dollars of %s', (assetClass, decimals, amount) => {
    expect(probeAmount({ asset: { ...asset, decimals }, facts: { assetClass } })).toBe(amount);
  });

  it('behavior: one whole unit of an asset nobody knows', () => {
    expect(probeAmount({ asset, facts: {} })).toBe(10n ** 18n);
  });

  it('behavior: at least one base unit', () => {
    expect(probeAmount({ asset: { ...asset, decimals: 0 }, facts: { assetClass: 'native' } })).toBe(1n);
  });
});
