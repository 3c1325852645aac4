import { ChainNotActiveError, invalidParameters } from '@yield-vault/protocol';
import { type Address, getAddress, isAddress } from 'viem';
import { shippedRegistry } from '../catalogue/shipped-registry.js';
import { benchmarkGroupOf } from '../measuring/measurement.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { hasAsset } from '../serving/chain-index.js';

/** The choice of vaults to rank. */
export interface EntryChoice {
  /** A chain of the shipped registry. */
  readonly chain: string;
  /** Symbol, in any case. */
  readonly asset: string;
  /** Ranked instead of the shipped registry. Facts about an address that the registry lacks count as unknown. */
  readonly vaults?: readonly (Address | RegistryEntry)[];
}

/** The vaults to rank, and those with which their yields are compared. */
interface ChosenEntries {
  readonly wanted: readonly RegistryEntry[];
  readonly peers: readonly RegistryEntry[];
}

/**
 * Choose the vaults to measure: those of the asset, and the others of its kind, which are their benchmark.
 *
 * @throws {ChainNotActiveError} for a chain that the shipped registry lacks
 * @throws {InvalidParametersError} for an asset that it lacks, or vaults of another asset
 */
export function chooseEntries({ chain, asset, vaults }: EntryChoice): ChosenEntries {
  const registry = shippedRegistry({ candidates: true });
  const shipped = registry.filter((entry) => entry.chain === chain);
  if (shipped.length === 0)
    throw new ChainNotActiveError({
      detail: `The shipped registry has no chain ${JSON.stringify(chain)}.`,
      details: { supportedChains: [...new Set(registry.map((entry) => entry.chain))] },
    });
  const model = shipped.find(hasAsset(asset));
  if (!model) throw invalid('asset', `is not an asset of the registry on ${chain}`);
  const active = shipped.filter(({ status }) => status === 'active');
  const wanted =
    vaults?.map((vault) => (typeof vault === 'string' ? toEntry(vault, model, shipped) : vault)) ??
    active.filter(hasAsset(asset));
  const stranger = wanted.find((entry) => entry.chain !== chain || !hasAsset(asset)(entry));
  if (stranger) throw invalid('vaults', `has ${stranger.address}, which is no vault of ${asset} on ${chain}`);
  const addresses = new Set(wanted.map(({ address }) => address));
  if (addresses.size === 0 || addresses.size < wanted.length)
    throw invalid('vaults', 'must name at least one vault, and each once');
  const group = benchmarkGroupOf(model);
  const peers = active.filter((entry) => benchmarkGroupOf(entry) === group && !addresses.has(entry.address));
  return { wanted, peers };
}

function toEntry(text: string, model: RegistryEntry, shipped: readonly RegistryEntry[]): RegistryEntry {
  if (!isAddress(text, { strict: false })) throw invalid('vaults', 'must have addresses of vaults');
  const address = getAddress(text.toLowerCase());
  const { chainId, chain, asset, symbolAliases, facts } = model;
  return (
    shipped.find((entry) => entry.address === address) ?? {
      chainId,
      chain,
      address,
      name: address,
      protocol: 'unknown',
      asset,
      symbolAliases,
      facts: { assetClass: facts.assetClass },
      flags: [],
      sources: ['caller'],
    }
  );
}

/** Make the error for a field of a request. */
export const invalid = (field: string, message: string) => invalidParameters([{ field, message }]);
