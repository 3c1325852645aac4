import { numberToHex } from 'viem';
import type { SimulatedCall } from '../types.js';
import { accessListCall, partiesOf, touchedItems } from './access-list.js';
import { accountItem, slotItem } from './state-item.js';

const [from, to, delegate] = [1, 2, 3].map((n) => numberToHex(n, { size: 20 }));
const call = { from, to, data: '0x12' } as SimulatedCall;

describe('accessListCall', () => {
  it('default: at a block or at the newest one', () => {
    expect(accessListCall(call, 16n).params).toEqual([{ from, to, data: '0x12' }, '0x10']);
    expect(accessListCall({ ...call, value: 1n }, 'latest').params).toEqual([
      { from, to, data: '0x12', value: '0x1' },
      'latest',
    ]);
  });
});

describe('touchedItems', () => {
  it('default: accounts and slots', () => {
    const accessList = [{ address: to, storageKeys: ['0x1'] }];
    expect(touchedItems({ result: { accessList, gasUsed: '0x1' } })).toEqual([
      accountItem(to!),
      slotItem(to!, '0x1'),
    ]);
  });

  it('behavior: nothing from a node that does not know the method or answers with something else', () => {
    expect(touchedItems({ error: { code: -32601, message: 'unknown' } })).toEqual([]);
    expect(touchedItems({ result: null })).toEqual([]);
    expect(touchedItems(undefined)).toEqual([]);
  });
});

describe('partiesOf', () => {
  it('default: sender, target and the code that is delegated to', () => {
    const authorization = { address: delegate!, chainId: 1, nonce: 0, r: '0x', s: '0x', yParity: 0 } as const;
    expect(partiesOf([{ ...call, authorizationList: [authorization] }])).toEqual(
      [from, to, delegate].map((address) => accountItem(address!)),
    );
  });
});
