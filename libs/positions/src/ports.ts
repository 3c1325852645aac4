import type { ActiveChain } from '@yield-vault/chains';
import type { ListedVault } from '@yield-vault/protocol';

/** What is needed of a chain. */
export type PositionsChain = Pick<ActiveChain, 'key' | 'rpc'>;

/** The vaults whose shares count as positions, listed in discover or not. */
export interface VaultsPort {
  list(chain: string): readonly ListedVault[];
}
