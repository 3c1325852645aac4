import { vaultIdOf, type VaultSummary } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import type { SummaryRow } from '../src/ports.js';

/** Build the stored summary of a healthy vault; `vaultAddress` follows from the store id. */
export function buildSummaryRow(vault: number, overrides: Partial<VaultSummary> = {}): SummaryRow {
  const chainId = overrides.chainId ?? 8453;
  const vaultAddress = `0x${vault.toString(16).padStart(40, '0')}` as const;
  const vaultId = vaultIdOf(chainId, vaultAddress);
  const { assetPriceUsd, gas, ...listed } = buildRankedVault({ vaultAddress, vaultId });
  return { vault, assetPriceUsd, gas, summary: { ...listed, flags: [], ...overrides } };
}
