import { asUpstreamError } from '@yield-vault/chains';
import { ConfigError, isViemError } from '@yield-vault/protocol';
import { parseAbi, type PublicClient } from 'viem';
import { parseRegistry, type RegistryEntry } from '@yield-vault/vault-discovery';

const abi = parseAbi([
  'function asset() view returns (address)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);

/**
 * Create the entry of a vault, a candidate, with its name and asset on chain.
 *
 * @returns nothing where no vault is, or where an entry cannot hold its name or asset
 */
export async function readVault(
  rpc: PublicClient,
  place: Pick<RegistryEntry, 'chainId' | 'chain' | 'address'>,
): Promise<readonly RegistryEntry[]> {
  const { address, chain } = place;
  try {
    const asset = await rpc.readContract({ abi, address, functionName: 'asset' });
    const entry = {
      ...place,
      name: await rpc.readContract({ abi, address, functionName: 'name' }),
      protocol: 'unknown',
      asset: {
        symbol: await rpc.readContract({ abi, address: asset, functionName: 'symbol' }),
        address: asset,
        decimals: await rpc.readContract({ abi, address: asset, functionName: 'decimals' }),
      },
      facts: {},
      flags: [],
      sources: [`chain:${chain}`],
      status: 'candidate',
    };
    return parseRegistry({ vaults: [entry] });
  } catch (error) {
    if (asUpstreamError(error, 'rpc') || !(error instanceof ConfigError || isViemError(error))) throw error;
    return [];
  }
}
