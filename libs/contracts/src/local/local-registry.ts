import type { Address } from 'viem';
import { localAssets, type LocalChainId } from './local-chain.js';
import { localAssetAddress } from './local-vault-creation.js';
import type { LocalVaultDefinition, LocalVaultFacts } from './local-vault.js';
import { localVaults } from './local-vaults.js';

/** An entry of a vault registry file: what is known of a vault without asking the chain. */
export interface LocalRegistryEntry {
  readonly chainId: LocalChainId;
  readonly chain: string;
  readonly address: Address;
  readonly name: string;
  readonly protocol: string;
  readonly asset: { readonly symbol: string; readonly address: Address; readonly decimals: number };
  /** Absent of what nobody has reviewed. */
  readonly firstSeen?: string;
  /** None of what nobody has reviewed. */
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
    // Nobody has reviewed an impostor.
    ...(kind === 'impostor' ? { facts: {} } : { firstSeen, facts }),
    flags,
  };
}
