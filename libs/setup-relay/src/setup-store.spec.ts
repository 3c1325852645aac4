import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import type { SetupRelayResponse } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { keccak256, numberToHex, type Hex } from 'viem';
import { createDatabaseSetupStore } from './adapters/database-setup-store.js';
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

describe('the setup store', () => {
  let database: DatabaseHandle;
  let store: SetupStore;
  beforeAll(async () => {
    database = await openTestDatabase();
    store = createDatabaseSetupStore(database);
  });
  afterAll(() => database.close());

  it('default: the first reservation owns, the next one waits, and the response stays', async () => {
    const key = newKey();
    expect(await store.find(key.txHash)).toBeUndefined();
    expect(await store.reserve(key, mine)).toMatchObject({ owned: true, submission: { state: 'reserved' } });
    expect(await store.reserve(key, yours)).toMatchObject({ owned: false });
    await store.markSubmitted(key.txHash);
    await store.complete(key.txHash, response);
    expect(await store.reserve(key, yours)).toMatchObject({ owned: false, submission: { response } });
    await store.markSubmitted(key.txHash);
    expect(await store.find(key.txHash)).toMatchObject({
      state: 'confirmed',
      response,
      ticketId: key.ticketId,
    });
  });

  it('behavior: one of many reservations at the same time owns', async () => {
    const key = newKey();
    const reservations = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.reserve(key, { owner: String(index), seconds: 60 })),
    );
    expect(reservations.filter(({ owned }) => owned)).toHaveLength(1);
  });

  it('behavior: a released or expired lease can be taken over, and keeps the state', async () => {
    const key = newKey();
    await store.reserve(key, mine);
    await store.markSubmitted(key.txHash);
    await store.release(key.txHash, yours.owner);
    expect(await store.reserve(key, yours)).toMatchObject({ owned: false });
    await store.release(key.txHash, mine.owner);
    expect(await store.reserve(key, { ...yours, seconds: 0 })).toMatchObject({
      owned: true,
      submission: { state: 'submitted' },
    });
    expect(await store.reserve(key, mine)).toMatchObject({ owned: true });
  });

  it('behavior: a renewed lease is kept', async () => {
    const key = newKey();
    await store.reserve(key, { ...mine, seconds: 0 });
    await store.renew(key.txHash, mine);
    expect(await store.reserve(key, yours)).toMatchObject({ owned: false });
  });

  it('behavior: only a confirmed transaction can be deleted as lost, and is new again', async () => {
    const key = newKey();
    await store.reserve(key, mine);
    await store.markSubmitted(key.txHash);
    await store.deleteLost(key.txHash);
    expect(await store.find(key.txHash)).toMatchObject({ state: 'submitted' });
    await store.complete(key.txHash, response);
    await store.deleteLost(key.txHash);
    expect(await store.find(key.txHash)).toBeUndefined();
    expect(await store.reserve(key, yours)).toMatchObject({ owned: true, submission: { state: 'reserved' } });
  });

  it('behavior: a reopened transaction is submitted again, without response and lease', async () => {
    const key = newKey();
    await store.reserve(key, mine);
    await store.markSubmitted(key.txHash);
    await store.reopen(key.txHash);
    expect(await store.reserve(key, yours)).toMatchObject({ owned: false });
    await store.complete(key.txHash, response);
    await store.reopen(key.txHash);
    const { owned, submission } = await store.reserve(key, yours);
    expect([owned, submission.state, submission.response]).toEqual([true, 'submitted', undefined]);
  });

  it('behavior: only the owner can delete the reservation', async () => {
    const key = newKey();
    await store.reserve(key, mine);
    await store.deleteReservation(key.txHash, yours.owner);
    expect(await store.find(key.txHash)).toBeDefined();
    await store.deleteReservation(key.txHash, mine.owner);
    expect(await store.find(key.txHash)).toBeUndefined();
  });
});
