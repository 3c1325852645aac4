import { numberToHex } from 'viem';
import { knownStorage } from './known-storage.js';
import { accountItem, itemKey, slotItem, type StateItem } from './state-item.js';

const block = { number: 7n, hash: numberToHex(7, { size: 32 }), timestamp: 0n };
const [known, unknown] = [numberToHex(3, { size: 20 }), numberToHex(4, { size: 20 })];
const value = numberToHex(9, { size: 32 });

describe('knownStorage', () => {
  it('default: values by account and slot, without what is not known', () => {
    const kept = new Map<string, unknown>([
      [itemKey(accountItem(known)), { balance: '0x0', nonce: '0x1', code: '0x00' }],
      [itemKey(slotItem(known, '0x1')), value],
      [itemKey(slotItem(unknown, '0x1')), value],
    ]);
    const store = { known: (_: unknown, item: StateItem) => kept.get(itemKey(item)) };
    const slots = [slotItem(known, '0x1'), slotItem(known, '0x2'), slotItem(unknown, '0x1')];
    expect(knownStorage(store, block, slots)).toEqual({ [known]: { [slotItem(known, '0x1').slot]: value } });
  });
});
