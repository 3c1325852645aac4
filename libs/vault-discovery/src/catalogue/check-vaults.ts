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

/** A registry entry that the chain contradicts. */
export interface Mismatch {
  readonly entry: RegistryEntry;
  readonly contradictions: readonly Contradiction[];
  /** The same in words; some are those of the contract. */
  readonly reason: string;
  /** What the chain says instead; undefined where nothing at the address is an ERC-4626 vault. */
  readonly onChain: TokensOnChain | undefined;
}

/** What the chain contradicts of an entry. */
export type Contradiction =
  'asset' | 'asset-decimals' | 'asset-supply' | 'asset-symbol' | 'share-decimals' | 'total-assets';

/** What a vault and its asset say of themselves; what does not answer, or is of no use, is undefined. */
export interface TokensOnChain {
  readonly asset: Address;
  readonly assetDecimals: number | undefined;
  readonly shareDecimals: number | undefined;
}

export interface CheckReport {
  readonly checked: readonly CheckedEntry[];
  readonly mismatches: readonly Mismatch[];
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
  const ask = async (targets: readonly Address[], names: readonly FunctionName[]) => {
    const reads = [multicallItself, ...targets.flatMap((target) => readsOf(target, names))];
    const [alive, ...results] = await readBatches(rpc, toBatches(reads, batchSize));
    if (alive === undefined) throw new UpstreamFailure('rpc', 'Multicall3 does not answer');
    let next = 0;
    return new Map(targets.map((target) => [target, names.map((name) => decode(results[next++], name))]));
  };

  const addresses = entries.map(({ address }) => address);
  const ofVaults = await ask(addresses, vaultReads);
  // What the vaults name, whatever the registry says.
  const assets = new Set([...ofVaults.values()].flatMap(([asset]) => (asset as Address | undefined) ?? []));
  const ofAssets = await ask([...assets], assetReads);
  const reports = entries.map((entry) => {
    const ofVault = ofVaults.get(entry.address)!;
    return checkVault(entry, ofVault, ofAssets.get(ofVault[0] as Address) ?? []);
  });
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
): CheckedEntry | Mismatch {
  const [asset, decimals, held, name] = ofVault as [Address?, number?, bigint?, string?];
  const [assetDecimals, symbol, supply] = ofAsset as [number?, string?, bigint?];
  const shareDecimals = decimals === undefined || decimals > mostShareDecimals ? undefined : decimals;
  const onChain = asset && { asset, assetDecimals, shareDecimals };
  const mismatch = (problems: readonly (readonly [Contradiction, string])[]): Mismatch => ({
    entry,
    contradictions: problems.map(([contradiction]) => contradiction),
    reason: problems.map(([, words]) => words).join('; '),
    onChain,
  });
  if (asset === undefined) return mismatch([['asset', 'asset() does not answer: not an ERC-4626 vault']]);
  // What the registry says of another asset says nothing about this vault.
  if (!isAddressEqual(asset, entry.asset.address)) return mismatch([['asset', `asset() is ${asset}`]]);

  const problems: [Contradiction, string][] = [];
  if (assetDecimals !== entry.asset.decimals)
    problems.push(['asset-decimals', `the asset has ${String(assetDecimals)} decimals`]);
  if (symbol === undefined || ![entry.asset.symbol, ...(entry.symbolAliases ?? [])].includes(symbol))
    problems.push(['asset-symbol', `the asset calls itself ${readable(String(symbol))}`]);
  if (shareDecimals === undefined) problems.push(['share-decimals', 'decimals() of the share is not usable']);
  if (held === undefined) problems.push(['total-assets', 'totalAssets() does not answer']);
  if (supply === undefined) problems.push(['asset-supply', 'totalSupply() of the asset does not answer']);
  if (held !== undefined && supply !== undefined && held > supply)
    problems.push(['total-assets', 'totalAssets() is more than exists of the asset']);
  if (problems.length > 0 || shareDecimals === undefined) return mismatch(problems);
  return { entry, shareDecimals, ...(name && { nameOnChain: readable(name) }) };
}
