import { localVaults } from '@yield-vault/testing/local';
import type { RankedVault } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import type { VaultCatalogue } from '../src/index.js';

type LocalVault = (typeof localVaults)[8453][number];

const assets = {
  USDC: { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
  WETH: { symbol: 'WETH', address: '0x4200000000000000000000000000000000000006', decimals: 18 },
} as const;

/** Describe a local vault of Base as the catalogue lists it. */
export function listLocalVault(vault: LocalVault, overrides: Partial<RankedVault> = {}): RankedVault {
  const asset = assets[vault.asset];
  return buildRankedVault({
    vaultAddress: vault.address,
    name: vault.name,
    asset,
    shareDecimals: asset.decimals + vault.decimalsOffset,
    sharePrice: vault.sharePrice,
    // As discovery measures it.
    gas: { deposit: 55_700, redeem: 17_000 },
    ...overrides,
  });
}

/** A catalogue of some vaults, in the request in which they rank. */
export function buildCatalogue(vaults: readonly RankedVault[], isStale = false): VaultCatalogue {
  return {
    find: (vaultId) => vaults.find((vault) => vault.vaultId === vaultId),
    best: (chain, asset) => vaults.filter((v) => v.listed && v.chain === chain && v.asset.symbol === asset),
    isStale: () => isStale,
  };
}
