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

  const submitted = async () => {
    const key = newKey();
    await store.reserve(key, mine);
    await store.markSubmitted(key.txHash);
    return key;
  };
  const expectOwned = async (
    key: ReturnType<typeof newKey>,
    lease: typeof mine,
    owned: boolean,
    submission = {},
  ) => expect(await store.reserve(key, lease)).toMatchObject({ owned, submission });

  it('default: the first reservation owns, the next one waits, and the response stays', async () => {
    const key = newKey();
    expect(await store.find(key.txHash)).toBeUndefined();
    await expectOwned(key, mine, true, { state: 'reserved' });
    await expectOwned(key, yours, false);
    await store.markSubmitted(key.txHash);
    await store.complete(key.txHash, response);
    await expectOwned(key, yours, false, { response });
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
    const key = await submitted();
    await store.release(key.txHash, yours.owner);
    await expectOwned(key, yours, false);
    await store.release(key.txHash, mine.owner);
    await expectOwned(key, { ...yours, seconds: 0 }, true, { state: 'submitted' });
    await expectOwned(key, mine, true);
  });

  it('behavior: a renewed lease is kept', async () => {
    const key = newKey();
    await store.reserve(key, { ...mine, seconds: 0 });
    await store.renew(key.txHash, mine);
    await expectOwned(key, yours, false);
  });

  it('behavior: only a confirmed transaction can be deleted as lost, and is new again', async () => {
    const key = await submitted();
    await store.deleteLost(key.txHash);
    expect(await store.find(key.txHash)).toMatchObject({ state: 'submitted' });
    await store.complete(key.txHash, response);
    await store.deleteLost(key.txHash);
    expect(await store.find(key.txHash)).toBeUndefined();
    await expectOwned(key, yours, true, { state: 'reserved' });
  });

  it('behavior: a reopened transaction is submitted again, without response and lease', async () => {
    const key = await submitted();
    await store.reopen(key.txHash);
    await expectOwned(key, yours, false);
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
