import type { ListedVault, Strategy } from '@yield-vault/protocol';

/** What prepare asks of the catalogue. */
export interface VaultCatalogue {
  find(vaultId: string): ListedVault | undefined;
  /** Listed vaults of a chain and asset symbol, best first. Without it nothing can be rebalanced. */
  best?(chain: string, asset: string, strategy: Strategy): readonly ListedVault[];
  /** Whether the numbers of a chain are too old to put money on. */
  isStale(chain: string): boolean;
}
