import { NoSuitableVaultsError, type Json } from '@yield-vault/protocol';
import type { EntryHazard } from '../entry-hazards.js';
import type { Order } from '../types.js';
import { redeemThenDeposit } from './choose-target.js';
import { enteredVault } from './entered-vault.js';

/** Make the error for an order whose vault no money is put into, whatever the wallet has. */
export function entryHazard(
  order: Order,
  hazard: EntryHazard,
  reason: string,
  details: Readonly<Record<string, Json>> = {},
): NoSuitableVaultsError {
  const { vaultId, name } = enteredVault(order) ?? order.vault;
  const isRebalance = order.instruction.operation === 'rebalance';
  return new NoSuitableVaultsError({
    detail: `Nothing is deposited into ${name}: ${reason}.`,
    nextAction: isRebalance ? redeemThenDeposit : 'Call discover and choose another vault.',
    details: { vaultId, hazard, ...details },
  });
}
