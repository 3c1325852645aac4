import type { Address } from 'viem';
import { localAssets, type LocalChainId } from './local-chain.js';
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
  readonly flags: readonly string[];
}

const chainKeys: Readonly<Record<LocalChainId, string>> = { 1: 'ethereum', 8453: 'base' };

/**
 * Build the content of the registry file of the local deployment.
 *
 * @returns One entry per local vault, Base first.
 */
export function localRegistry(): { readonly vaults: readonly LocalRegistryEntry[] } {
  return { vaults: [...localVaults[8453], ...localVaults[1]].map(entryOf) };
}

function entryOf(vault: LocalVaultDefinition): LocalRegistryEntry {
  const { chainId, address, name, protocol, kind, firstSeen, facts, flags } = vault;
  const asset = vault.registeredAsset ?? vault.asset;
  const { symbol, decimals } = localAssets[asset];
  return {
    chainId,
    chain: chainKeys[chainId],
    address,
    name,
    protocol,
    asset: { symbol, address: localAssetAddress({ chainId, asset }), decimals },
    // Nobody reviews an impostor.
    ...(kind === 'impostor' ? { facts: {} } : { firstSeen, facts }),
    flags,
  };
}
