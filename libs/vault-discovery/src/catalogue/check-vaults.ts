import {
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  isAddressEqual,
  type Hex,
  type PublicClient,
} from 'viem';
import type { RegistryEntry } from '../types.js';
import { readBatches, toBatches, type Read } from '../chain/read-contracts.js';

/** A registry entry that the chain confirms. */
export interface CheckedEntry {
  readonly entry: RegistryEntry;
  readonly shareDecimals: number;
}

export interface CheckReport {
  readonly checked: readonly CheckedEntry[];
  readonly mismatches: readonly { readonly entry: RegistryEntry; readonly reason: string }[];
}

const readsPerVault = 6;

/** Compare registry entries with the contracts: asset, decimals, symbol, and that the assets can exist. */
export async function checkVaults(
  rpc: PublicClient,
  entries: readonly RegistryEntry[],
  batchSize: number,
): Promise<CheckReport> {
  const results = await readBatches(rpc, toBatches(entries.flatMap(readsOf), batchSize));
  const reports = entries.map((entry, index) =>
    checkVault(entry, results.slice(index * readsPerVault, (index + 1) * readsPerVault)),
  );
  return {
    checked: reports.flatMap((report) => ('reason' in report ? [] : [report])),
    mismatches: reports.flatMap((report) => ('reason' in report ? [report] : [])),
  };
}

function readsOf({ address, asset }: RegistryEntry): Read[] {
  const ofVault = (functionName: 'asset' | 'totalAssets') => ({
    target: address,
    callData: encodeFunctionData({ abi: erc4626Abi, functionName }),
  });
  const ofAsset = (functionName: 'decimals' | 'symbol' | 'totalSupply') => ({
    target: asset.address,
    callData: encodeFunctionData({ abi: erc20Abi, functionName }),
  });
  return [
    ofVault('asset'),
    { target: address, callData: encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }) },
    ofVault('totalAssets'),
    ofAsset('decimals'),
    ofAsset('symbol'),
    ofAsset('totalSupply'),
  ];
}

function checkVault(
  entry: RegistryEntry,
  [asset, shareDecimals, totalAssets, assetDecimals, symbol, assetSupply]: readonly (Hex | undefined)[],
): CheckedEntry | { entry: RegistryEntry; reason: string } {
  const refuse = (reason: string) => ({ entry, reason });
  const actualAsset = decoded(() =>
    decodeFunctionResult({ abi: erc4626Abi, functionName: 'asset', data: asset! }),
  );
  if (actualAsset === undefined) return refuse('asset() does not answer: not an ERC-4626 vault');
  if (!isAddressEqual(actualAsset, entry.asset.address)) return refuse(`asset() is ${actualAsset}`);

  const number = (data: Hex | undefined) =>
    decoded(() => decodeFunctionResult({ abi: erc20Abi, functionName: 'decimals', data: data! }));
  const amount = (data: Hex | undefined) =>
    decoded(() => decodeFunctionResult({ abi: erc20Abi, functionName: 'totalSupply', data: data! }));
  if (number(assetDecimals) !== entry.asset.decimals)
    return refuse(`the asset has ${String(number(assetDecimals))} decimals`);
  const actualSymbol = decoded(() =>
    decodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', data: symbol! }),
  );
  if (actualSymbol !== entry.asset.symbol) return refuse(`the asset calls itself ${String(actualSymbol)}`);

  const decimals = number(shareDecimals);
  // A share of more decimals would overflow what its price is measured with.
  if (decimals === undefined || decimals > 64) return refuse('decimals() of the share is not usable');
  const held = amount(totalAssets);
  const supply = amount(assetSupply);
  if (held === undefined || supply === undefined) return refuse('totalAssets() does not answer');
  if (held > supply) return refuse('totalAssets() is more than exists of the asset');
  return { entry, shareDecimals: decimals };
}

/** Contracts may answer anything; what does not decode counts as no answer. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
