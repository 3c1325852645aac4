import { chainFacts, knownChains } from '@yield-vault/contracts';
import type { Address } from 'viem';
import { localAssets, localChainIds, type LocalChainId } from './local-chain.js';
import {
  localAssetAddress,
  localVaults,
  type LocalVaultDefinition,
  type LocalVaultFacts,
} from './local-vaults.js';

/** An entry of a vault registry file: facts about a vault that are not on the chain. */
export interface LocalRegistryEntry {
  readonly chainId: LocalChainId;
  readonly chain: string;
  readonly address: Address;
  readonly name: string;
  readonly protocol: string;
  readonly asset: { readonly symbol: string; readonly address: Address; readonly decimals: number };
  /** Absent without a review of the vault. */
  readonly firstSeen?: string;
  /** Empty without a review of the vault. */
  readonly facts: LocalVaultFacts | Record<string, never>;
  /** Its date is far ahead: the facts of a local vault never become stale. */
  readonly evidence?: readonly {
    readonly facts: readonly (keyof LocalVaultFacts)[];
    readonly source: string;
    readonly date: string;
  }[];
  readonly flags: readonly string[];
}

/**
 * Build the content of the registry file of the local deployment.
 *
 * @returns One entry per local vault, by chain in the order of `knownChains`.
 */
export function localRegistry(): { readonly vaults: readonly LocalRegistryEntry[] } {
  const placeOf = (id: number) => knownChains.findIndex(({ chainId }) => chainId === id);
  const chains = [...localChainIds].sort((one, other) => placeOf(one) - placeOf(other));
  return { vaults: chains.flatMap((chainId) => localVaults[chainId].map(entryOf)) };
}

function entryOf(vault: LocalVaultDefinition): LocalRegistryEntry {
  const { chainId, address, name, protocol, kind, firstSeen, facts, flags } = vault;
  const asset = vault.registeredAsset ?? vault.asset;
  const { symbol, decimals } = localAssets[asset];
  const known = Object.keys(facts) as (keyof LocalVaultFacts)[];
  const evidence = [{ facts: known, source: 'local deployment', date: '2099-01-01' }];
  return {
    chainId,
    chain: chainFacts(chainId).key,
    address,
    name,
    protocol,
    asset: { symbol, address: localAssetAddress({ chainId, asset }), decimals },
    // Nobody reviews an impostor.
    ...(kind === 'impostor' ? { facts: {} } : { firstSeen, facts, evidence }),
    flags,
  };
}
