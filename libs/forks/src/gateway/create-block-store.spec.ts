import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { numberToHex, type Hex } from 'viem';
import type { BlockRef } from '../types.js';
import { createBlockStore, type BlockStore } from './create-block-store.js';
import type { Upstream } from './create-upstream.js';
import { accountItem, slotItem, type StateItem } from './state-item.js';
import type { RpcCall, RpcOutcome } from './types.js';

const word = (value: number) => numberToHex(value, { size: 32 });
const block: BlockRef = { number: 16n, hash: word(0xa), timestamp: 100n };
const header = (hash: Hex) => ({ number: '0x10', hash, timestamp: '0x64', miner: word(0) });
const address = numberToHex(1, { size: 20 });
const slot = (index: number) => slotItem(address, numberToHex(index));

describe('createBlockStore', () => {
  let batches: (readonly RpcCall[])[];
  let answer: (call: RpcCall) => unknown;
  let gate: Promise<void> | undefined;
  let store: BlockStore;
  let gone: number;

  let batchLimit: number;

  const upstream: Pick<Upstream, 'ask' | 'batchLimit'> = {
    get batchLimit() {
      return batchLimit;
    },
    async ask(calls) {
      batches.push(calls);
      await gate;
      return calls.map((call): RpcOutcome => {
        const result = answer(call);
        return result === undefined ? { error: { code: -32000, message: 'no' } } : { result };
      });
    },
  };
  const honest = ({ method, params }: RpcCall): unknown => {
    if (method === 'eth_getBlockByNumber') return header(block.hash);
    return method === 'eth_getStorageAt' ? params[1] : '0x1';
  };
  const asked = () => batches.map((calls) => calls.slice(1).map(({ params }) => params[1]));

  beforeEach(() => {
    batches = [];
    answer = honest;
    gate = undefined;
    gone = 0;
    batchLimit = 500;
    store = createBlockStore({
      dependency: 'rpc:base',
      upstream: upstream as Upstream,
      maxEntries: 5,
      onBlockGone: () => (gone += 1),
    });
  });

  it('behavior: large contracts push others out', async () => {
    const code = `0x${'00'.repeat(2 ** 21)}`;
    const items = Array.from({ length: 17 }, (_, index) => accountItem(numberToHex(index, { size: 20 })));
    answer = (call) => (call.method === 'eth_getCode' ? code : honest(call));
    store = createBlockStore({
      dependency: 'rpc:base',
      upstream: upstream as Upstream,
      maxEntries: 1_000,
      onBlockGone: () => undefined,
    });
    for (const item of items) await store.load(block, [item]);
    expect(items.filter((item) => store.known(block, item)).length).toBeLessThan(16);
    expect(store.known(block, items.at(-1)!)).toMatchObject({ code });
  });

  it('default: what was loaded is not asked again', async () => {
    await store.load(block, [slot(1), slot(2), slot(1)]);
    expect(await store.read(block, slot(2))).toBe(word(2));
    expect(await store.header(block)).toMatchObject({ block });
    await store.load(block, [slot(1)]);
    expect(asked()).toEqual([[word(1), word(2)]]);
  });

  it('behavior: another hash of the same number shares nothing', async () => {
    await store.load(block, [slot(1)]);
    const other = { ...block, hash: word(0xb) };
    answer = (call) => (call.method === 'eth_getBlockByNumber' ? header(other.hash) : word(9));
    expect(await store.read(other, slot(1))).toBe(word(9));
    expect(await store.read(block, slot(1))).toBe(word(1));
  });

  it('behavior: equal questions under way are asked once', async () => {
    let open = () => {};
    gate = new Promise((resolve) => (open = resolve));
    const reads = [slot(1), slot(1)].map((item) => store.read(block, item));
    const load = store.load(block, [slot(1), slot(2)]);
    open();
    expect(await Promise.all(reads)).toEqual([word(1), word(1)]);
    await load;
    expect(asked()).toEqual([[word(1)], [word(2)]]);
  });

  it('behavior: what was used least recently goes', async () => {
    await store.load(block, [slot(1), slot(2), slot(3), slot(4)]);
    await store.read(block, slot(1));
    await store.load(block, [slot(5)]);
    expect(store.size).toBe(5);
    expect(store.known(block, slot(1))).toBe(word(1));
    expect(store.known(block, slot(2))).toBeUndefined();
  });

  it('behavior: an item that fails is left out, and asked again when it is read', async () => {
    answer = (call) => (call.params[1] === word(2) ? undefined : honest(call));
    await store.load(block, [slot(1), slot(2), accountItem(address)]);
    expect(store.known(block, slot(1))).toBe(word(1));
    expect(store.known(block, accountItem(address))).toEqual({ balance: '0x1', nonce: '0x1', code: '0x1' });
    expect(store.known(block, slot(2))).toBeUndefined();
    answer = honest;
    expect(await store.read(block, slot(2))).toBe(word(2));
  });

  it('behavior: every request proves its block, however many it takes', async () => {
    batchLimit = 4;
    await store.load(block, [slot(1), accountItem(address), slot(2), slot(3)]);
    expect(batches.map((calls) => calls.map(({ method }) => method))).toEqual([
      ['eth_getBlockByNumber', 'eth_getStorageAt'],
      ['eth_getBlockByNumber', 'eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'],
      ['eth_getBlockByNumber', 'eth_getStorageAt', 'eth_getStorageAt'],
    ]);
    expect(store.known(block, slot(3))).toBe(word(3));
  });

  it('behavior: what turned out to be several requests is not taken for one', async () => {
    answer = (call) => {
      batchLimit = 2;
      return honest(call);
    };
    await store.load(block, [slot(1), slot(2)]);
    expect(asked()).toEqual([[word(1), word(2)], [word(1)], [word(2)]]);
    expect(store.known(block, slot(2))).toBe(word(2));
  });

  it('error: a request that was answered about another block adds nothing', async () => {
    batchLimit = 2;
    const headers = [block.hash, word(0xb)];
    answer = (call) =>
      call.method === 'eth_getBlockByNumber' ? header(headers.shift() ?? block.hash) : honest(call);
    await expect(store.load(block, [slot(1), slot(2)])).rejects.toThrow(UpstreamUnavailableError);
    expect(store.known(block, slot(1))).toBe(word(1));
    expect(store.known(block, slot(2))).toBeUndefined();
    expect(gone).toBe(1);
  });

  it('behavior: an endpoint that does not know the block yet is asked again', async () => {
    answer = (call) => (batches.length < 3 && call.method === 'eth_getBlockByNumber' ? null : honest(call));
    expect(await store.read(block, slot(1))).toBe(word(1));
    expect(batches).toHaveLength(3);
  });

  it.each<[string, (call: RpcCall) => unknown, StateItem]>([
    [
      'replaced',
      (call) => (call.method === 'eth_getBlockByNumber' ? header(word(0xb)) : honest(call)),
      slot(1),
    ],
    ['never known', (call) => (call.method === 'eth_getBlockByNumber' ? null : honest(call)), slot(1)],
    [
      'pruned',
      (call) => (call.method === 'eth_getBlockByNumber' ? honest(call) : undefined),
      accountItem(address),
    ],
  ])(
    'error: UpstreamUnavailableError for a block that is %s, and nothing is kept',
    async (_, wrong, item) => {
      answer = wrong;
      await expect(store.read(block, item)).rejects.toThrow(UpstreamUnavailableError);
      expect(gone).toBeGreaterThan(0);
      answer = honest;
      const read = store.read(block, item);
      expect(await read).toEqual(
        item.kind === 'slot' ? word(1) : { balance: '0x1', nonce: '0x1', code: '0x1' },
      );
    },
  );

  it('behavior: answers are taken only for the block that they belong to', () => {
    const answers = (hash: Hex) => [{ result: header(hash) }, { result: word(7) }];
    expect(store.take(block, [slot(7)], answers(word(0xb)))).toBe('replaced');
    expect(store.take(block, [slot(7)], [{ result: null }, { result: word(7) }])).toBe('unknown');
    expect(store.known(block, slot(7))).toBeUndefined();
    expect(store.take(block, [slot(7)], answers(block.hash))).toBe('taken');
    expect(store.known(block, slot(7))).toBe(word(7));
  });
});
