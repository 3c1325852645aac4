import { UpstreamFailure } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import { type FakeRpc, RpcFailure, startFakeRpc } from '@yield-vault/testing';
import {
  type Abi,
  type Address,
  createPublicClient,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  http,
  multicall3Abi,
  parseAbi,
} from 'viem';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import type { RegistryEntry } from '../types.js';
import { checkVaults, correctEntry } from './check-vaults.js';

const entry = buildRegistryEntry();
const { asset } = entry;
const other: Address = '0x4000000000000000000000000000000000000004';
const abi: Abi = parseAbi([
  'function asset() view returns (address)',
  'function decimals() view returns (uint8)',
  'function totalAssets() view returns (uint256)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
]);

/** What contracts answer, by address and function; absent: they revert. */
type Contracts = Record<string, Record<string, unknown>>;
const usdc = { decimals: 6, symbol: 'USDC', totalSupply: 10n ** 15n };
const vault = { asset: asset.address, decimals: 18, totalAssets: 10n ** 12n, name: 'Steady USDC' };

let node: FakeRpc;
let contracts: Contracts;
let refused: Address | undefined;
let sizes: number[];

const functionOf = (data: Hex): string =>
  data === '0x0f28c97d' ? 'getCurrentBlockTimestamp' : decodeFunctionData({ abi, data }).functionName;

function responseOf({ target, callData }: { target: Address; callData: Hex }) {
  const functionName = functionOf(callData);
  const value = contracts[target.toLowerCase()]?.[functionName];
  if (value === undefined) return { success: false, returnData: '0x' as Hex };
  if (functionName === 'getCurrentBlockTimestamp')
    return { success: true, returnData: encodeAbiParameters([{ type: 'uint256' }], [value as bigint]) };
  // As raw bytes: contracts may answer anything.
  const returnData = value instanceof Uint8Array ? '0xff' : undefined;
  return {
    success: true,
    returnData: returnData ?? encodeFunctionResult({ abi, functionName, result: value }),
  };
}

beforeAll(async () => {
  node = await startFakeRpc({
    eth_call: ([call]) => {
      const { args } = decodeFunctionData({ abi: multicall3Abi, data: (call as { data: Hex }).data });
      const reads = args![0] as readonly { target: Address; callData: Hex }[];
      sizes.push(reads.length);
      if (reads.some(({ target }) => target.toLowerCase() === refused))
        throw new RpcFailure(-32_000, 'out of gas');
      const result = reads.map(responseOf);
      return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
    },
  });
});
afterAll(() => node.stop());
beforeEach(() => {
  sizes = [];
  refused = undefined;
  contracts = {
    [canonical.multicall3.toLowerCase()]: { getCurrentBlockTimestamp: 1n },
    [asset.address.toLowerCase()]: usdc,
    [entry.address.toLowerCase()]: vault,
  };
});

const check = (entries: readonly RegistryEntry[] = [entry], batchSize = 100) =>
  checkVaults(createPublicClient({ transport: http(node.rpcUrl, { retryCount: 0 }) }), entries, batchSize);
const reasonsOf = async (entries?: readonly RegistryEntry[]) =>
  (await check(entries)).mismatches.map(({ reason }) => reason);
const change = (address: Address, overrides: Record<string, unknown>) => {
  contracts[address.toLowerCase()] = { ...contracts[address.toLowerCase()], ...overrides };
};

describe('checkVaults', () => {
  it('default: confirms entries that match the chain', async () => {
    expect(await check()).toEqual({
      checked: [{ entry, shareDecimals: 18, nameOnChain: 'Steady USDC' }],
      mismatches: [],
    });
  });

  it('behavior: nothing to check asks nothing', async () => {
    expect(await check([])).toEqual({ checked: [], mismatches: [] });
    expect(sizes).toEqual([]);
  });

  it('behavior: an asset is read once, however many vaults hold it', async () => {
    contracts[other] = vault;
    const second = buildRegistryEntry({ address: other });
    expect((await check([entry, second])).checked).toHaveLength(2);
    expect(sizes).toEqual([1 + 2 * 4, 1 + 3]);
  });

  it.each([
    ['another asset', { asset: other }, `asset() is ${other}`],
    ['no vault', { asset: undefined }, 'asset() does not respond: not an ERC-4626 vault'],
    [
      'a response that is no address',
      { asset: new Uint8Array() },
      'asset() does not respond: not an ERC-4626 vault',
    ],
    ['no share decimals', { decimals: undefined }, 'decimals() of the share is not usable'],
    ['too many share decimals', { decimals: 65 }, 'decimals() of the share is not usable'],
    ['no totalAssets', { totalAssets: undefined }, 'totalAssets() does not respond'],
    [
      'more assets than exist',
      { totalAssets: 10n ** 15n + 1n },
      'totalAssets() is more than exists of the asset',
    ],
  ])('behavior: contradicts %s', async (_, response, reason) => {
    change(entry.address, response);
    expect(await reasonsOf()).toEqual([reason]);
  });

  it.each([
    ['other decimals', { decimals: 18 }, 'the asset has 18 decimals'],
    ['another symbol', { symbol: 'USDT' }, 'the asset calls itself USDT'],
    ['a symbol in another case', { symbol: 'usdc' }, 'the asset calls itself usdc'],
    ['a symbol that no database takes', { symbol: 'US\u0000DC' }, 'the asset calls itself US\uFFFDDC'],
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
    change(asset.address, { decimals: 18, symbol: 'FAKE' });
    change(entry.address, { totalAssets: undefined });
    expect(await reasonsOf()).toEqual([
      'the asset has 18 decimals; the asset calls itself FAKE; totalAssets() does not respond',
    ]);
    change(asset.address, { totalSupply: undefined });
    change(entry.address, { decimals: 65 });
    expect((await check()).mismatches[0]!.contradictions).toEqual([
      ...['asset-decimals', 'asset-symbol', 'share-decimals', 'total-assets', 'asset-supply'],
    ]);
    change(entry.address, { asset: other });
    expect((await check()).mismatches[0]!.contradictions).toEqual(['asset']);
  });

  it('behavior: reports the chain’s values', async () => {
    const onChainOf = async () => (await check()).mismatches[0]!.onChain;
    contracts[other] = { decimals: 18 };
    change(entry.address, { asset: other });
    expect(await onChainOf()).toEqual({ asset: other, assetDecimals: 18, shareDecimals: 18 });
    change(entry.address, { decimals: 65 });
    contracts[other] = {};
    expect(await onChainOf()).toEqual({ asset: other, assetDecimals: undefined, shareDecimals: undefined });
    change(entry.address, { asset: undefined });
    expect(await onChainOf()).toBeUndefined();
  });

  it('behavior: a symbol by its alias is fine, and only that one', async () => {
    change(asset.address, { symbol: 'USD₮0' });
    expect(await reasonsOf([{ ...entry, symbolAliases: ['USD₮0'] }])).toEqual([]);
    expect(await reasonsOf([{ ...entry, symbolAliases: ['USD₮'] }])).toEqual([
      'the asset calls itself USD₮0',
    ]);
  });

  it('behavior: a name is recorded, never required, and cut where it does not end', async () => {
    change(entry.address, { name: undefined });
    expect((await check()).checked).toEqual([{ entry, shareDecimals: 18 }]);
    change(entry.address, { name: 'x'.repeat(5_000) });
    expect((await check()).checked[0]!.nameOnChain).toHaveLength(200);
  });

  it('behavior: a vault that burns all gas is contradicted alone', async () => {
    refused = other;
    const bomb = buildRegistryEntry({ address: other });
    const { checked, mismatches } = await check([entry, bomb]);
    expect(checked.map((each) => each.entry.address)).toEqual([entry.address]);
    expect(mismatches.map((each) => each.entry.address)).toEqual([other]);
  });

  it('error: a node that is down contradicts nothing', async () => {
    node.setFault('http-500');
    const failure = await check().then(
      () => undefined,
      (error: unknown) => error,
    );
    node.setFault(undefined);
    expect(failure).toBeInstanceOf(Error);
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

  it('default: asset and decimals are those of the chain, the symbol the one of the registry', () => {
    expect(correct({ asset: weth, assetDecimals: 18 })).toEqual({
      entry: { ...entry, asset: { symbol: 'WETH', address: weth, decimals: 18 } },
      shareDecimals: 18,
    });
  });

  it('behavior: decimals that the chain contradicts are those of the chain', () => {
    expect(correct({ assetDecimals: 8 }).entry.asset).toEqual({ ...entry.asset, decimals: 8 });
  });

  it('behavior: an asset that does not respond has the decimals of the registry', () => {
    expect(correct({ assetDecimals: undefined }).entry.asset).toEqual(entry.asset);
    expect(correct({ asset: weth, assetDecimals: undefined }).entry.asset).toEqual(ofWeth.asset);
  });

  it('behavior: an unknown asset is named by its address, and counts in base units', () => {
    expect(correct({ asset: weth, assetDecimals: undefined }, [entry]).entry.asset).toEqual({
      ...{ symbol: weth, address: weth, decimals: 0 },
    });
  });

  it('behavior: shares without usable decimals count in base units', () => {
    expect(correct({ shareDecimals: undefined }).shareDecimals).toBe(0);
  });
});
