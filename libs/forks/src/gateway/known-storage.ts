import type { Address, Hex } from 'viem';
import type { BlockRef } from '../types.js';
import type { BlockStore } from './create-block-store.js';
import { accountItem, type SlotItem } from './state-item.js';
import type { KnownStorage } from './types.js';

/** Collect the kept values of slots. */
export function knownStorage(
  store: Pick<BlockStore, 'known'>,
  block: BlockRef,
  slots: readonly SlotItem[],
): KnownStorage {
  const storage: Record<Address, Record<Hex, Hex>> = {};
  for (const item of slots) {
    const { address, slot } = item;
    const value = store.known(block, item) as Hex | undefined;
    // Whoever is given storage of an account loads that account.
    if (value === undefined || store.known(block, accountItem(address)) === undefined) continue;
    (storage[address] ??= {})[slot] = value;
  }
  return storage;
}
