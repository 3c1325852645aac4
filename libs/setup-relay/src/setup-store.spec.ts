import { databaseBackends } from '@yield-vault/database/testing';
import type { SetupRelayResponse } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { keccak256, numberToHex, type Hex } from 'viem';
import { createDatabaseSetupStore } from './adapters/database-setup-store.js';
import { createMemorySetupStore } from './adapters/memory-setup-store.js';
import type { SetupStore } from './ports.js';

const response = { txHash: '0x01', receiptStatus: 'success' } as unknown as SetupRelayResponse;
const mine = { owner: 'mine', seconds: 60 };
const yours = { owner: 'yours', seconds: 60 };
// Opening a database takes seconds on a busy machine.
jest.setTimeout(60_000);

let made = 0;

function newKey() {
  const txHash: Hex = keccak256(numberToHex(++made));
  return { txHash, chainId: 8453, wallet: testAccount('owner').address, ticketId: keccak256('0x02') };
}

const backends: { name: string; open: () => Promise<{ store: SetupStore; close: () => Promise<void> }> }[] = [
  {
    name: 'memory',
    open: () => Promise.resolve({ store: createMemorySetupStore(), close: () => Promise.resolve() }),
  },
  ...databaseBackends().map(({ name, open }) => ({
    name,
    open: async () => {
      const database = await open();
      return { store: createDatabaseSetupStore(database), close: () => database.close() };
    },
  })),
];

describe.each(backends)('the setup store on $name', ({ open }) => {
  let store: SetupStore;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ store, close } = await open());
  });
  afterAll(() => close());

  it('default: the first claim owns, the next one waits, and the answer stays', async () => {
    const key = newKey();
    expect(await store.find(key.txHash)).toBeUndefined();
    expect(await store.claim(key, mine)).toMatchObject({ owned: true, submission: { state: 'claimed' } });
    expect(await store.claim(key, yours)).toMatchObject({ owned: false });
    await store.markSubmitted(key.txHash);
    await store.complete(key.txHash, response);
    expect(await store.claim(key, yours)).toMatchObject({ owned: false, submission: { response } });
    await store.markSubmitted(key.txHash);
    expect(await store.find(key.txHash)).toMatchObject({
      state: 'confirmed',
      response,
      ticketId: key.ticketId,
    });
  });

  it('behavior: one of many claims at the same time owns', async () => {
    const key = newKey();
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.claim(key, { owner: String(index), seconds: 60 })),
    );
    expect(claims.filter(({ owned }) => owned)).toHaveLength(1);
  });

  it('behavior: a lease that was given up or ran out can be taken over, and keeps what is known', async () => {
    const key = newKey();
    await store.claim(key, mine);
    await store.markSubmitted(key.txHash);
    await store.release(key.txHash, yours.owner);
    expect(await store.claim(key, yours)).toMatchObject({ owned: false });
    await store.release(key.txHash, mine.owner);
    expect(await store.claim(key, { ...yours, seconds: 0 })).toMatchObject({
      owned: true,
      submission: { state: 'submitted' },
    });
    expect(await store.claim(key, mine)).toMatchObject({ owned: true });
  });

  it('behavior: a renewed lease is kept', async () => {
    const key = newKey();
    await store.claim(key, { ...mine, seconds: 0 });
    await store.renew(key.txHash, mine);
    expect(await store.claim(key, yours)).toMatchObject({ owned: false });
  });

  it('behavior: what is confirmed, and nothing else, can be discarded, and is new again', async () => {
    const key = newKey();
    await store.claim(key, mine);
    await store.markSubmitted(key.txHash);
    await store.discard(key.txHash);
    expect(await store.find(key.txHash)).toMatchObject({ state: 'submitted' });
    await store.complete(key.txHash, response);
    await store.discard(key.txHash);
    expect(await store.find(key.txHash)).toBeUndefined();
    expect(await store.claim(key, yours)).toMatchObject({ owned: true, submission: { state: 'claimed' } });
  });

  it('behavior: only the owner can drop it', async () => {
    const key = newKey();
    await store.claim(key, mine);
    await store.forget(key.txHash, yours.owner);
    expect(await store.find(key.txHash)).toBeDefined();
    await store.forget(key.txHash, mine.owner);
    expect(await store.find(key.txHash)).toBeUndefined();
  });
});
