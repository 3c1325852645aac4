import { DataStaleError, UnknownVaultError } from '@yield-vault/protocol';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';

const notRanked = () =>
  new DataStaleError({
    detail: 'The vaults of this deployment are not ranked yet.',
    retryAfterSeconds: 5,
  });

type Catalogue = Pick<VaultDiscovery, 'isReady' | 'find' | 'byAddress' | 'list' | 'history' | 'explain'>;

/**
 * Until every chain is ranked the catalogue has gaps: a vault that is missing then is not unknown, and a wallet
 * without positions is not empty. Say so instead.
 *
 * @returns the same object with look-ups that throw {DataStaleError} where a gap may be the reason
 */
export function untilRanked<T extends Catalogue>(discovery: T): T {
  const found = <V>(value: V | undefined): V | undefined => {
    if (value === undefined && !discovery.isReady()) throw notRanked();
    return value;
  };
  const known = async <V>(answer: Promise<V>): Promise<V> => {
    try {
      return await answer;
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
