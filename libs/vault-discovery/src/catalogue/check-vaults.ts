import { UpstreamFailure } from '@yield-vault/chains';
import { canonical, readable } from '@yield-vault/contracts';
import { vaultIdOf } from '@yield-vault/protocol';
import {
  type Address,
  encodeFunctionData,
  isAddressEqual,
  multicall3Abi,
  parseAbi,
  type PublicClient,
} from 'viem';
import { decodeResult, type Read, readBatches, toBatches } from '../chain/read-contracts.js';
import type { RegistryEntry } from './parse-registry.js';

/** A registry entry that the chain confirms. */
export interface CheckedEntry {
  readonly entry: RegistryEntry;
  readonly shareDecimals: number;
  /** The vault's own name; anybody can choose any name. */
  readonly nameOnChain?: string;
}

/** A vault with its id in the store. */
export interface TrackedVault extends CheckedEntry {
  readonly id: number;
  readonly vaultId: string;
  /** Set where the chain contradicts the registry. Asset and decimals are then the chain's, and the vault is not sampled. */
  readonly contradictions?: readonly Contradiction[];
}

/** Track a vault without a store: its place among others is its id. */
export const toTracked = (vault: CheckedEntry, place: number): TrackedVault => ({
  ...vault,
  id: place,
  vaultId: vaultIdOf(vault.entry.chainId, vault.entry.address),
});

/** A registry entry that the chain contradicts. */
export interface Mismatch {
  readonly entry: RegistryEntry;
  readonly contradictions: readonly Contradiction[];
  /** The same as text; it may contain text of the contract. */
  readonly reason: string;
  /** The chain's own facts; undefined where the address is no ERC-4626 vault. */
  readonly onChain: TokensOnChain | undefined;
}

/** The part of an entry that the chain contradicts. */
export type Contradiction =
  'asset' | 'asset-decimals' | 'asset-supply' | 'asset-symbol' | 'share-decimals' | 'total-assets';

/** The facts of a vault and its asset on chain; undefined without a usable response. */
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
// More decimals would overflow the probe of the share price.
const mostShareDecimals = 64;

type FunctionName = (typeof vaultReads)[number] | (typeof assetReads)[number];

/** What a vault and its asset say of themselves; undefined without a usable response. */
export interface VaultOnChain {
  readonly asset?: Address;
  readonly decimals?: number;
  readonly totalAssets?: bigint;
  readonly name?: string;
  readonly token: { readonly decimals?: number; readonly symbol?: string; readonly totalSupply?: bigint };
}

/**
 * Read what addresses say of themselves as vaults. No contract can take the gas of the others.
 *
 * @throws as `checkVaults` does
 */
export async function readVaults(
  rpc: PublicClient,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, VaultOnChain>> {
  const request = async (targets: readonly Address[], names: readonly FunctionName[]) => {
    const reads = [multicallItself, ...targets.flatMap((target) => readsOf(target, names))];
    const [alive, ...results] = await readBatches(rpc, toBatches(reads));
    if (alive === undefined) throw new UpstreamFailure('rpc', 'Multicall3 does not respond');
    let next = 0;
    const decode = (name: FunctionName) => [name, decodeResult(abi, name, results[next++])] as const;
    return new Map(targets.map((target) => [target, Object.fromEntries(names.map(decode))]));
  };
  const ofVaults = await request(addresses, vaultReads);
  // The assets that the vaults name, not the registry's.
  const assets = new Set([...ofVaults.values()].flatMap(({ asset }) => (asset as Address | undefined) ?? []));
  const tokens = await request([...assets], assetReads);
  return new Map(
    [...ofVaults].map(([address, vault]) => [
      address,
      { ...vault, token: tokens.get(vault['asset'] as Address) ?? {} },
    ]),
  );
}

/**
 * Compare registry entries with the contracts: asset, decimals, symbol, and that the assets can exist.
 *
 * @throws what the client throws when the node is down
 * @throws {UpstreamFailure} when the node responds without the chain's contracts behind it
 */
export async function checkVaults(
  rpc: PublicClient,
  entries: readonly RegistryEntry[],
): Promise<CheckReport> {
  if (entries.length === 0) return { checked: [], mismatches: [] };
  const vaults = await readVaults(
    rpc,
    entries.map(({ address }) => address),
  );
  const reports = entries.map((entry) => checkVault(entry, vaults.get(entry.address)!));
  return {
    checked: reports.flatMap((report) => ('reason' in report ? [] : [report])),
    mismatches: reports.flatMap((report) => ('reason' in report ? [report] : [])),
  };
}

/** Responds on every supported chain. Without its response the silence of a vault proves nothing. */
const multicallItself: Read = {
  target: canonical.multicall3,
  callData: encodeFunctionData({ abi: multicall3Abi, functionName: 'getCurrentBlockTimestamp' }),
};

const readsOf = (target: Address, functionNames: readonly FunctionName[]): Read[] =>
  functionNames.map((functionName) => ({ target, callData: encodeFunctionData({ abi, functionName }) }));

function checkVault(
  entry: RegistryEntry,
  { asset, decimals, totalAssets: held, name, token }: VaultOnChain,
): CheckedEntry | Mismatch {
  const { decimals: assetDecimals, symbol, totalSupply: supply } = token;
  const shareDecimals = decimals === undefined || decimals > mostShareDecimals ? undefined : decimals;
  const onChain = asset && { asset, assetDecimals, shareDecimals };
  const mismatch = (problems: readonly (readonly [Contradiction, string])[]): Mismatch => ({
    entry,
    contradictions: problems.map(([contradiction]) => contradiction),
    reason: problems.map(([, words]) => words).join('; '),
    onChain,
  });
  if (asset === undefined) return mismatch([['asset', 'asset() does not respond: not an ERC-4626 vault']]);
  // The other checks would compare different assets.
  if (!isAddressEqual(asset, entry.asset.address)) return mismatch([['asset', `asset() is ${asset}`]]);

  const problems: [Contradiction, string][] = [];
  if (assetDecimals !== entry.asset.decimals)
    problems.push(['asset-decimals', `the asset has ${String(assetDecimals)} decimals`]);
  if (symbol === undefined || ![entry.asset.symbol, ...(entry.symbolAliases ?? [])].includes(symbol))
    problems.push(['asset-symbol', `the asset calls itself ${readable(String(symbol))}`]);
  if (shareDecimals === undefined) problems.push(['share-decimals', 'decimals() of the share is not usable']);
  if (held === undefined) problems.push(['total-assets', 'totalAssets() does not respond']);
  if (supply === undefined) problems.push(['asset-supply', 'totalSupply() of the asset does not respond']);
  if (held !== undefined && supply !== undefined && held > supply)
    problems.push(['total-assets', 'totalAssets() is more than exists of the asset']);
  if (problems.length > 0 || shareDecimals === undefined) return mismatch(problems);
  return { entry, shareDecimals, ...(name && { nameOnChain: readable(name) }) };
}

/**
 * Replace the asset and decimals of a contradicted entry by the chain's, so that holders can redeem. Missing
 * decimals count as 0. Symbols come from the registry only, because an issuer can choose any symbol; an asset that the
 * registry does not know is named by its address.
 *
 * @param registry - entries of the same chain
 */
export function correctEntry(
  entry: RegistryEntry,
  { asset, assetDecimals, shareDecimals }: TokensOnChain,
  registry: readonly RegistryEntry[],
): CheckedEntry {
  const holds = (each: RegistryEntry) => isAddressEqual(each.asset.address, asset);
  const { symbol, decimals } = (holds(entry) ? entry : registry.find(holds))?.asset ?? unknownAsset(asset);
  return {
    entry: { ...entry, asset: { symbol, address: asset, decimals: assetDecimals ?? decimals } },
    shareDecimals: shareDecimals ?? 0,
  };
}

const unknownAsset = (address: Address) => ({ symbol: address, decimals: 0 });
