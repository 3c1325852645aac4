import type { ActiveChain } from '@yield-vault/chains';
import type { RankedVault } from '@yield-vault/protocol';

/** A chain to read positions from. */
export type PositionsChain = Pick<ActiveChain, 'key' | 'rpc'>;

/** The vaults whose shares count as positions, listed in discover or not. */
export interface VaultsPort {
  list(chain: string): readonly RankedVault[];
}
