import { ChainNotActiveError, InvalidParametersError } from '@yield-vault/protocol';
import { shippedRegistry } from '../catalogue/shipped-registry.js';
import { chooseEntries, type EntryChoice } from './choose-entries.js';

const stranger = '0x3000000000000000000000000000000000000003';
const onBase = shippedRegistry().filter(({ chain }) => chain === 'base');
const of = (symbol: string) => onBase.filter(({ asset }) => asset.symbol === symbol);
const choose = (overrides: Partial<EntryChoice> = {}) =>
  chooseEntries({ chain: 'base', asset: 'usdc', ...overrides });
const thrown = (overrides: Partial<EntryChoice>): unknown => {
  try {
    return choose(overrides);
  } catch (error) {
    return error;
  }
};

describe('chooseEntries', () => {
  it('default: the active vaults of the asset; no vault of another kind is their benchmark', () => {
    expect(choose()).toEqual({ wanted: of('USDC'), peers: [] });
  });

  it('behavior: assets of the same kind are the benchmark', () => {
    const { wanted, peers } = choose({ chain: 'ethereum', asset: 'USDT' });
    expect(new Set(wanted.map(({ asset }) => asset.symbol))).toEqual(new Set(['USDT']));
    expect(new Set(peers.map(({ asset }) => asset.symbol))).toEqual(new Set(['USDC', 'PYUSD']));
  });

  it('behavior: own vaults; the registry knows the facts of some, and the others are peers', () => {
    const [known, ...others] = of('USDC');
    const address = known!.address.toLowerCase() as typeof stranger;
    const { wanted, peers } = choose({ vaults: [address, stranger] });
    expect(wanted[0]).toEqual(known);
    expect(wanted[1]).toMatchObject({ address: stranger, name: stranger, asset: known!.asset });
    expect(wanted[1]!.facts).toEqual({ assetClass: 'fiat_stable' });
    expect(peers).toEqual(others);
  });

  it('error: ChainNotActiveError, for a chain that the registry lacks', () => {
    const error = thrown({ chain: 'solana' });
    expect(error).toBeInstanceOf(ChainNotActiveError);
    expect(error).toMatchObject({ details: { supportedChains: ['ethereum', 'base'] } });
  });

  it.each([
    ['asset', { asset: 'DOGE' }],
    ['vaults', { vaults: [] }],
    ['vaults', { vaults: [stranger, stranger] }],
    ['vaults', { vaults: [of('WETH')[0]!.address] }],
    ['vaults', { vaults: [{ ...of('USDC')[0]!, chain: 'ethereum' }] }],
  ] as [string, Partial<EntryChoice>][])('error: InvalidParametersError, %s: %j', (field, wrong) => {
    const error = thrown(wrong);
    expect(error).toBeInstanceOf(InvalidParametersError);
    expect(error).toMatchObject({ details: { violations: [{ field }] } });
  });
});
