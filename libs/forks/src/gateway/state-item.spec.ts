import { numberToHex } from 'viem';
import { accountItem, callsOf, itemKey, slotItem, valueOf } from './state-item.js';

const address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

describe('itemKey', () => {
  it('behavior: the case of an address makes no difference', () => {
    expect(itemKey(accountItem(address))).toBe(itemKey(accountItem(address.toLowerCase())));
  });

  it('behavior: neither case nor padding of a slot makes a difference', () => {
    const padded = `0x${'A'.padStart(64, '0')}`;
    expect(itemKey(slotItem(address, '0xa'))).toBe(itemKey(slotItem(address.toLowerCase(), padded)));
    expect(itemKey(slotItem(address, '0xa'))).not.toBe(itemKey(slotItem(address, '0xb')));
  });

  it('behavior: an account, its slots and a header differ', () => {
    const keys = [accountItem(address), slotItem(address, '0x0'), { kind: 'header', number: 0n } as const];
    expect(new Set(keys.map(itemKey)).size).toBe(3);
  });
});

describe('callsOf', () => {
  it('default: names the block by its number', () => {
    expect(callsOf(slotItem(address, '0x1'), 16n)).toEqual([
      {
        method: 'eth_getStorageAt',
        params: [address.toLowerCase(), numberToHex(1, { size: 32 }), '0x10'],
      },
    ]);
    expect(callsOf(accountItem(address), 16n).map(({ method }) => method)).toEqual([
      'eth_getBalance',
      'eth_getTransactionCount',
      'eth_getCode',
    ]);
  });
});

describe('valueOf', () => {
  it('default: an account is three answers, a slot is padded', () => {
    const answers = ['0x1', '0x2', '0x'].map((result) => ({ result }));
    expect(valueOf(accountItem(address), answers)).toEqual({ balance: '0x1', nonce: '0x2', code: '0x' });
    expect(valueOf(slotItem(address, '0x1'), [{ result: '0x7' }])).toBe(numberToHex(7, { size: 32 }));
  });

  it('behavior: nothing when one answer is missing or no hexadecimal text', () => {
    const error = { error: { code: -32000, message: 'missing trie node' } };
    expect(valueOf(accountItem(address), [{ result: '0x1' }, error, { result: '0x' }])).toBeUndefined();
    expect(valueOf(slotItem(address, '0x1'), [{ result: null }])).toBeUndefined();
    expect(valueOf({ kind: 'header', number: 1n }, [{ result: null }])).toBeUndefined();
  });
});
