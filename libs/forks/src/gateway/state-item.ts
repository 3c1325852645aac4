import { numberToHex, pad, type Address, type Hex } from 'viem';
import type { RpcCall, RpcOutcome } from './types.js';

/** A piece of a block's state that is loaded and kept as one. */
export type StateItem =
  | { readonly kind: 'account'; readonly address: Address }
  | SlotItem
  /** Header of an older block of the same chain, which contracts read as a block hash. */
  | { readonly kind: 'header'; readonly number: bigint };

/** A storage slot. */
export interface SlotItem {
  readonly kind: 'slot';
  readonly address: Address;
  readonly slot: Hex;
}

/** An account without its storage, as a node writes it. */
export interface AccountState {
  readonly balance: string;
  readonly nonce: string;
  readonly code: string;
}

/** Name an account; the same one whatever the case of its digits. */
export function accountItem(address: string): StateItem {
  return { kind: 'account', address: address.toLowerCase() as Address };
}

/** Name a storage slot; the same one whatever the case and padding of its digits. */
export function slotItem(address: string, slot: string): SlotItem {
  return {
    kind: 'slot',
    address: address.toLowerCase() as Address,
    slot: pad(slot.toLowerCase() as Hex, { size: 32 }),
  };
}

/** Identify an item among those of one block. */
export function itemKey(item: StateItem): string {
  switch (item.kind) {
    case 'account':
      return item.address;
    case 'slot':
      return `${item.address}:${item.slot}`;
    case 'header':
      return item.number.toString();
  }
}

/** The calls that load an item as of a block. */
export function callsOf(item: StateItem, block: bigint): readonly RpcCall[] {
  const at = numberToHex(block);
  switch (item.kind) {
    case 'account':
      return ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'].map((method) => ({
        method,
        params: [item.address, at],
      }));
    case 'slot':
      return [{ method: 'eth_getStorageAt', params: [item.address, item.slot, at] }];
    case 'header':
      return [{ method: 'eth_getBlockByNumber', params: [numberToHex(item.number), false] }];
  }
}

/**
 * Read an item from what its calls were answered with.
 *
 * @returns `undefined` when one of them failed
 */
export function valueOf(item: StateItem, outcomes: readonly RpcOutcome[]): NonNullable<unknown> | undefined {
  const results = outcomes.map((outcome) => ('result' in outcome ? outcome.result : undefined));
  if (item.kind === 'header') return results[0] ?? undefined;
  if (!results.every(isHexText)) return undefined;
  if (item.kind === 'slot') return pad(results[0] as Hex, { size: 32 });
  const [balance, nonce, code] = results as [string, string, string];
  return { balance, nonce, code } satisfies AccountState;
}

/** Tell whether what is kept for an item is an account. */
export function isAccountState(value: unknown): value is AccountState {
  return typeof value === 'object' && value !== null && 'code' in value;
}

function isHexText(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('0x');
}
