import type { LocalChainId } from './local-chain.js';
import type { LocalVaultDefinition } from './local-vault.js';
import { localBaseVaults } from './local-vaults-base.js';
import { localEthereumVaults } from './local-vaults-ethereum.js';

/** Every local vault, by chain id. */
export const localVaults: Readonly<Record<LocalChainId, readonly LocalVaultDefinition[]>> = {
  1: localEthereumVaults,
  8453: localBaseVaults,
};
