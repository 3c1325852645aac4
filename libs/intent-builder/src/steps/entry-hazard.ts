import { NoSuitableVaultsError, type Json, type ListedVault } from '@yield-vault/protocol';
import type { EntryHazard } from '../entry-hazards.js';

/** Make the error for a vault that no money is put into, whatever the wallet has. */
export function entryHazard(
  { vaultId, name }: Pick<ListedVault, 'vaultId' | 'name'>,
  hazard: EntryHazard,
  reason: string,
  details: Readonly<Record<string, Json>> = {},
): NoSuitableVaultsError {
  return new NoSuitableVaultsError({
    detail: `Nothing is deposited into ${name}: ${reason}.`,
    nextAction: 'Call discover and choose another vault.',
    details: { vaultId, hazard, ...details },
  });
}
