import { UpstreamFailure } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import {
  decodeFunctionResult,
  encodeFunctionData,
  isAddressEqual,
  multicall3Abi,
  parseAbi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { readBatches, toBatches, type Read } from '../chain/read-contracts.js';
import { readable } from '../chain/readable.js';
import type { RegistryEntry } from '../types.js';

/** A registry entry that the chain confirms. */
export interface CheckedEntry {
  readonly entry: RegistryEntry;
  readonly shareDecimals: number;
  /** What the vault calls itself; anybody can call a vault anything. */
  readonly nameOnChain?: string;
}

export interface CheckReport {
  readonly checked: readonly CheckedEntry[];
  /** Entries that the chain contradicts, each with everything that is wrong. */
  readonly mismatches: readonly { readonly entry: RegistryEntry; readonly reason: string }[];
}

const abi = parseAbi([
  'function asset() view returns (address)',
  'function decimals() view returns (uint8)',
  'function totalAssets() view returns (uint256)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function totalSupply() view returns (uint256)',
]);
const vaultReads = ['asset', 'decimals', 'totalAssets', 'name'] as const;
const assetReads = ['decimals', 'symbol', 'totalSupply'] as const;
// A share of more decimals would overflow what its price is measured with.
const mostShareDecimals = 64;

type FunctionName = (typeof vaultReads)[number] | (typeof assetReads)[number];

/**
 * Compare registry entries with the contracts: asset, decimals, symbol, and that the assets can exist.
 *
 * @throws what the client throws when the node is down: nothing is known of any vault then
 * @throws {UpstreamFailure} when the node answers without the chain's contracts behind it
 */
export async function checkVaults(
  rpc: PublicClient,
  entries: readonly RegistryEntry[],
  batchSize: number,
): Promise<CheckReport> {
  if (entries.length === 0) return { checked: [], mismatches: [] };
  const assets = [
    ...new Map(entries.map(({ asset }) => [asset.address.toLowerCase(), asset.address])).values(),
  ];
  const reads: Read[] = [
    multicallItself,
    ...assets.flatMap((asset) => readsOf(asset, assetReads)),
    ...entries.flatMap(({ address }) => readsOf(address, vaultReads)),
  ];
  const [alive, ...results] = await readBatches(rpc, toBatches(reads, batchSize));
  if (alive === undefined) throw new UpstreamFailure('rpc', 'Multicall3 does not answer');

  let next = 0;
  const answersTo = (names: readonly FunctionName[]): unknown[] =>
    names.map((functionName) => decode(results[next++], functionName));
  const ofAssets = new Map(assets.map((asset) => [asset.toLowerCase(), answersTo(assetReads)]));
  const reports = entries.map((entry) =>
    checkVault(entry, answersTo(vaultReads), ofAssets.get(entry.asset.address.toLowerCase())!),
  );
  return {
    checked: reports.flatMap((report) => ('reason' in report ? [] : [report])),
    mismatches: reports.flatMap((report) => ('reason' in report ? [report] : [])),
  };
}

/** Answers wherever the chain is the one it should be; silence of a vault means something only beside it. */
const multicallItself: Read = {
  target: canonical.multicall3,
  callData: encodeFunctionData({ abi: multicall3Abi, functionName: 'getCurrentBlockTimestamp' }),
};

const readsOf = (target: Address, functionNames: readonly FunctionName[]): Read[] =>
  functionNames.map((functionName) => ({ target, callData: encodeFunctionData({ abi, functionName }) }));

/** Contracts may answer anything; what does not decode counts as no answer. */
function decode(data: Hex | undefined, functionName: FunctionName): unknown {
  try {
    return data === undefined ? undefined : decodeFunctionResult({ abi, functionName, data });
  } catch {
    return undefined;
  }
}

function checkVault(
  entry: RegistryEntry,
  ofVault: readonly unknown[],
  ofAsset: readonly unknown[],
): CheckedEntry | { readonly entry: RegistryEntry; readonly reason: string } {
  const [asset, shareDecimals, held, name] = ofVault as [Address?, number?, bigint?, string?];
  const [assetDecimals, symbol, supply] = ofAsset as [number?, string?, bigint?];
  if (asset === undefined) return { entry, reason: 'asset() does not answer: not an ERC-4626 vault' };
  // What the registry says of another asset says nothing about this vault.
  if (!isAddressEqual(asset, entry.asset.address)) return { entry, reason: `asset() is ${asset}` };

  const problems: string[] = [];
  if (assetDecimals !== entry.asset.decimals)
    problems.push(`the asset has ${String(assetDecimals)} decimals`);
  if (symbol === undefined || ![entry.asset.symbol, ...(entry.symbolAliases ?? [])].includes(symbol))
    problems.push(`the asset calls itself ${readable(String(symbol))}`);
  if (shareDecimals === undefined || shareDecimals > mostShareDecimals)
    problems.push('decimals() of the share is not usable');
  if (held === undefined) problems.push('totalAssets() does not answer');
  if (supply === undefined) problems.push('totalSupply() of the asset does not answer');
  if (held !== undefined && supply !== undefined && held > supply)
    problems.push('totalAssets() is more than exists of the asset');
  if (problems.length > 0 || shareDecimals === undefined) return { entry, reason: problems.join('; ') };
  return { entry, shareDecimals, ...(name && { nameOnChain: readable(name) }) };
}
