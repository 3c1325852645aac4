import { UpstreamFailure } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import type { Address, Hex } from 'viem';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { text, useFakeChain } from '../../test/start-fake-chain.js';
import type { RegistryEntry } from './parse-registry.js';
import { checkVaults, correctEntry } from './check-vaults.js';

const entry = buildRegistryEntry();
const { asset } = entry;
const other: Address = '0x4000000000000000000000000000000000000004';

/** Responses of contracts, by address and function; without one they revert. */
type Responses = Record<string, bigint | Hex | undefined>;
const usdc: Responses = { decimals: 6n, symbol: text('USDC'), totalSupply: 10n ** 15n };
const vault: Responses = {
  asset: BigInt(asset.address),
  decimals: 18n,
  totalAssets: 10n ** 12n,
  name: text('Steady USDC'),
};

const chain = useFakeChain(() => [1_000]);
let contracts: Record<string, Responses>;
beforeEach(() => {
  contracts = {
    [canonical.multicall3.toLowerCase()]: { getCurrentBlockTimestamp: 1n },
    [asset.address.toLowerCase()]: usdc,
    [entry.address.toLowerCase()]: vault,
  };
  chain.respond = (target, functionName) => contracts[target]?.[functionName];
});

const check = (entries: readonly RegistryEntry[] = [entry]) => checkVaults(chain.rpc, entries);
const reasonsOf = async (entries?: readonly RegistryEntry[]) =>
  (await check(entries)).mismatches.map(({ reason }) => reason);
const change = (address: Address, overrides: Responses) => {
  contracts[address.toLowerCase()] = { ...contracts[address.toLowerCase()], ...overrides };
};

describe('checkVaults', () => {
  it('default: confirms entries that match the chain', async () => {
    expect(await check()).toEqual({
      checked: [{ entry, shareDecimals: 18, nameOnChain: 'Steady USDC' }],
      mismatches: [],
    });
  });

  it('behavior: an asset is read once, however many vaults hold it', async () => {
    contracts[other] = vault;
    const second = buildRegistryEntry({ address: other });
    expect((await check([entry, second])).checked).toHaveLength(2);
    expect(chain.multicalls.map(({ reads }) => reads)).toEqual([1 + 2 * 4, 1 + 3]);
  });

  it.each<[string, Responses, string]>([
    ['another asset', { asset: BigInt(other) }, `asset() is ${other}`],
    ['no vault', { asset: undefined }, 'asset() does not respond: not an ERC-4626 vault'],
    ['no address', { asset: '0xff' }, 'asset() does not respond: not an ERC-4626 vault'],
    ['no share decimals', { decimals: undefined }, 'decimals() of the share is not usable'],
    ['too many share decimals', { decimals: 65n }, 'decimals() of the share is not usable'],
    ['no totalAssets', { totalAssets: undefined }, 'totalAssets() does not respond'],
    ['too much', { totalAssets: 10n ** 15n + 1n }, 'totalAssets() is more than exists of the asset'],
  ])('behavior: contradicts %s', async (_, response, reason) => {
    change(entry.address, response);
    expect(await reasonsOf()).toEqual([reason]);
  });

  it.each<[string, Responses, string]>([
    ['other decimals', { decimals: 18n }, 'the asset has 18 decimals'],
    ['another symbol', { symbol: text('USDT') }, 'the asset calls itself USDT'],
    ['a symbol in another case', { symbol: text('usdc') }, 'the asset calls itself usdc'],
    ['a symbol that no database takes', { symbol: text('US\u0000DC') }, 'the asset calls itself US\uFFFDDC'],
    ['no supply', { totalSupply: undefined }, 'totalSupply() of the asset does not respond'],
  ])('behavior: contradicts an asset of %s', async (_, response, reason) => {
    change(asset.address, response);
    expect(await reasonsOf()).toEqual([reason]);
  });

  it('behavior: all assets that exist may be in one vault', async () => {
    change(entry.address, { totalAssets: usdc.totalSupply });
    expect(await reasonsOf()).toEqual([]);
  });

  it('behavior: reports every problem at once', async () => {
    change(asset.address, { decimals: 18n, symbol: text('FAKE') });
    change(entry.address, { totalAssets: undefined });
    expect(await reasonsOf()).toEqual([
      'the asset has 18 decimals; the asset calls itself FAKE; totalAssets() does not respond',
    ]);
    change(asset.address, { totalSupply: undefined });
    change(entry.address, { decimals: 65n });
    expect((await check()).mismatches[0]!.contradictions).toEqual([
      'asset-decimals',
      'asset-symbol',
      'share-decimals',
      'total-assets',
      'asset-supply',
    ]);
    change(entry.address, { asset: BigInt(other) });
    expect((await check()).mismatches[0]!.contradictions).toEqual(['asset']);
  });

  it('behavior: reports the chain’s values', async () => {
    const onChainOf = async () => (await check()).mismatches[0]!.onChain;
    contracts[other] = { decimals: 18n };
    change(entry.address, { asset: BigInt(other) });
    expect(await onChainOf()).toEqual({ asset: other, assetDecimals: 18, shareDecimals: 18 });
    change(entry.address, { decimals: 65n });
    contracts[other] = {};
    expect(await onChainOf()).toEqual({ asset: other, assetDecimals: undefined, shareDecimals: undefined });
    change(entry.address, { asset: undefined });
    expect(await onChainOf()).toBeUndefined();
  });

  it('behavior: a symbol by its alias is fine, and only that one', async () => {
    change(asset.address, { symbol: text('USD₮0') });
    expect(await reasonsOf([{ ...entry, symbolAliases: ['USD₮0'] }])).toEqual([]);
    expect(await reasonsOf([{ ...entry, symbolAliases: ['USD₮'] }])).toEqual([
      'the asset calls itself USD₮0',
    ]);
  });

  it('behavior: a name is recorded, never required, and cut where it does not end', async () => {
    change(entry.address, { name: undefined });
    expect((await check()).checked).toEqual([{ entry, shareDecimals: 18 }]);
    change(entry.address, { name: text('x'.repeat(5_000)) });
    expect((await check()).checked[0]!.nameOnChain).toHaveLength(200);
  });

  it('behavior: a vault that burns all gas is contradicted alone', async () => {
    contracts[other] = vault;
    chain.gasOf = (target) => (target === other ? 60_000_000 : 30_000);
    const bomb = buildRegistryEntry({ address: other });
    const { checked, mismatches } = await check([entry, bomb]);
    expect(checked.map((each) => each.entry.address)).toEqual([entry.address]);
    expect(mismatches.map((each) => each.entry.address)).toEqual([other]);
  });

  it('error: a node that is down contradicts nothing', async () => {
    chain.node.setFault('http-500');
    await expect(check()).rejects.toBeInstanceOf(Error);
  });

  it('error: UpstreamFailure when nothing stands behind the node, not even Multicall3', async () => {
    contracts = {};
    await expect(check()).rejects.toBeInstanceOf(UpstreamFailure);
  });
});

describe('correctEntry', () => {
  const entry = buildRegistryEntry();
  const weth: Address = '0x4200000000000000000000000000000000000006';
  const ofWeth = buildRegistryEntry({ asset: { symbol: 'WETH', address: weth, decimals: 17 } });
  const correct = (overrides: Partial<Parameters<typeof correctEntry>[1]>, registry = [entry, ofWeth]) => {
    const onChain = { asset: entry.asset.address, assetDecimals: 6, shareDecimals: 18, ...overrides };
    return correctEntry(entry, onChain, registry);
  };

  it.each([
    ['those of the chain, by the symbol of the registry', {}, { symbol: 'WETH', decimals: 18 }],
    ['those of the registry, where the asset does not respond', { assetDecimals: undefined }, ofWeth.asset],
  ])('default: asset and decimals are %s', (_, overrides, asset) => {
    const corrected = correct({ asset: weth, assetDecimals: 18, ...overrides });
    expect(corrected.entry).toEqual({ ...entry, asset: { ...asset, address: weth } });
  });

  it('behavior: an unknown asset is named by its address; what has no decimals counts in base units', () => {
    const corrected = correct({ asset: weth, assetDecimals: undefined, shareDecimals: undefined }, [entry]);
    expect(corrected.entry.asset).toEqual({ symbol: weth, address: weth, decimals: 0 });
    expect(corrected.shareDecimals).toBe(0);
  });
});
