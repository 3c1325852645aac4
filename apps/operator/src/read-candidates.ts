import { ConfigError } from '@yield-vault/protocol';
import { parseRegistry, readVaults, type RegistryEntry } from '@yield-vault/vault-discovery';
import type { Address, PublicClient } from 'viem';

/**
 * Create the entries of vaults, candidates, with their names and assets on chain. Addresses without a vault have none, and
 * neither has a vault whose name or asset an entry cannot hold.
 */
export async function readCandidates(
  rpc: PublicClient,
  place: Pick<RegistryEntry, 'chainId' | 'chain'>,
  addresses: readonly Address[],
): Promise<RegistryEntry[]> {
  const vaults = await readVaults(rpc, addresses);
  return [...vaults].flatMap(([address, { name, asset, token }]) => {
    const entry = {
      ...place,
      address,
      name,
      protocol: 'unknown',
      asset: { symbol: token.symbol, address: asset, decimals: token.decimals },
      facts: {},
      flags: [],
      sources: [`chain:${place.chain}`],
      status: 'candidate',
    };
    try {
      return parseRegistry({ vaults: [entry] });
    } catch (error) {
      if (error instanceof ConfigError) return [];
      throw error;
    }
  });
}
