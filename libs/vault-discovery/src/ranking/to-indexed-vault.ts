import type { ListedVault } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { SummaryRow } from '../ports.js';

/** A vault as it is kept in memory. */
export interface IndexedVault extends ListedVault {
  /** Id of the vault inside the store. */
  readonly storeId: number;
  readonly flags: readonly string[];
}

/** Most rows stay from one index to the next. */
const known = new WeakMap<SummaryRow, IndexedVault>();

/** Make what is kept of a row; the same for the same row. */
export function toIndexedVault(row: SummaryRow): IndexedVault {
  const before = known.get(row);
  if (before !== undefined) return before;
  const { vault, summary, assetPriceUsd } = row;
  const vaultAddress = summary.vaultAddress as Address;
  const indexed = { ...summary, vaultAddress, assetPriceUsd, storeId: vault };
  known.set(row, indexed);
  return indexed;
}
