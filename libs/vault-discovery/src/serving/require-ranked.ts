import { DataStaleError, UnknownVaultError } from '@yield-vault/protocol';
import type { VaultDiscovery } from '../types.js';

const notRanked = () =>
  new DataStaleError({
    detail: 'The vaults of this deployment are not ranked yet.',
    retryAfterSeconds: 5,
  });

type Catalogue = Pick<VaultDiscovery, 'isReady' | 'find' | 'byAddress' | 'list' | 'history' | 'explain'>;

/**
 * Refuse look-ups that find nothing before every chain is ranked. Until then a missing vault may only be missing
 * from memory, and a wallet without positions may have some.
 *
 * @returns the same object; its look-ups throw {DataStaleError} where the missing ranking may be the reason
 */
export function requireRanked<T extends Catalogue>(discovery: T): T {
  const found = <V>(value: V | undefined): V | undefined => {
    if (value === undefined && !discovery.isReady()) throw notRanked();
    return value;
  };
  const known = async <V>(response: Promise<V>): Promise<V> => {
    try {
      return await response;
    } catch (error) {
      if (error instanceof UnknownVaultError && !discovery.isReady()) throw notRanked();
      throw error;
    }
  };
  return {
    ...discovery,
    find: (vaultId) => found(discovery.find(vaultId)),
    byAddress: (chainId, address) => found(discovery.byAddress(chainId, address)),
    list: (chain) => {
      const vaults = discovery.list(chain);
      return found(vaults.length > 0 ? vaults : undefined) ?? [];
    },
    history: (query) => known(discovery.history(query)),
    explain: (vaultId) => known(discovery.explain(vaultId)),
  };
}
