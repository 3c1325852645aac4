import type { DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import type { IntentState, WireUserOperation } from '@yield-vault/protocol';
import { keccak256, numberToHex, type Hex } from 'viem';
import { createDatabaseIntentStore } from './database-intent-store.js';

// Opening a database takes seconds on a busy machine.
jest.setTimeout(60_000);

const chain = { chainId: 8453, confirmations: 2 };
const chain_id = 8453n;
const head = 110n;
const wallet = '0x00000000000000000000000000000000000000aa';
const hashOf = (id: number): Hex => keccak256(numberToHex(id));
const minutesFromNow = (minutes: number) => BigInt(Math.floor(Date.now() / 1000) + 60 * minutes);

interface Row {
  readonly state: IntentState;
  readonly event?: Event;
  /** Minutes from now. */
  readonly expiry?: number;
  readonly isLeased?: boolean;
}
interface Event {
  readonly block?: bigint;
  readonly by?: 'another operation' | 'another transaction' | 'another wallet';
}

describe.each(databaseBackends())('unresolved of the intent store ($name)', ({ open }) => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await open();
  });
  afterEach(async () => {
    for (const table of ['intent', 'followed_chain', 'user_operation'] as const)
      await database.db.deleteFrom(table).execute();
  });
  afterAll(() => database.close());

  const follow = (silentSeconds = 0) =>
    database.db
      .insertInto('followed_chain')
      .values({
        chain_id,
        block: head,
        first_block: 0n,
        block_hash: '0x',
        block_time: 0n,
        seen_at: new Date(Date.now() - silentSeconds * 1000),
      })
      .execute();
  const insert = async (id: number, { state, event, expiry = 10, isLeased = false }: Row) => {
    await database.db
      .insertInto('intent')
      .values({
        intent_id: numberToHex(id),
        chain_id,
        wallet,
        state,
        user_op_hash: hashOf(id),
        nonce: BigInt(id),
        expiry: minutesFromNow(expiry),
        user_operation: JSON.stringify({} as WireUserOperation),
        tx_hash: state === 'included' ? numberToHex(id) : null,
        // Those with a lower id waited longer.
        lease_until: new Date(Date.now() + (isLeased ? 60_000 : 1_000 * (id - 100))),
      })
      .execute();
    if (event)
      await database.db
        .insertInto('user_operation')
        .values({
          chain_id,
          user_op_hash: hashOf(
            event.by === 'another operation' || event.by === 'another wallet' ? id + 1_000 : id,
          ),
          wallet: event.by === 'another wallet' ? '0xbb' : wallet,
          nonce: BigInt(id),
          block: event.block ?? head,
          log_index: 0,
          tx_hash: event.by === 'another transaction' ? '0xff' : numberToHex(id),
          gas_usdc: null,
        })
        .execute();
  };
  const list = async (limit = 100) =>
    (await createDatabaseIntentStore(database).unresolved(chain, limit)).map(({ intentId, seenIn }) => [
      Number(intentId),
      seenIn,
    ]);

  it.each<[string, boolean, Row]>([
    ['a reservation', true, { state: 'reserved' }],
    ['a simulated intent', true, { state: 'simulated' }],
    ['a submitted one', false, { state: 'submitted' }],
    ['a submitted one after its expiry', true, { state: 'submitted', expiry: -1 }],
    ['a submitted one with an event', true, { state: 'submitted', event: {} }],
    ['a submitted one of a used nonce', true, { state: 'submitted', event: { by: 'another operation' } }],
    ['one whose nonce another wallet used', false, { state: 'submitted', event: { by: 'another wallet' } }],
    ['an included one that is not deep', false, { state: 'included', event: { block: head - 1n } }],
    ['an included one that is deep', true, { state: 'included', event: { block: head - 2n } }],
    ['an included one without an event', true, { state: 'included' }],
    ['one in another transaction', true, { state: 'included', event: { by: 'another transaction' } }],
    ['a confirmed one', false, { state: 'confirmed', expiry: -1, event: {} }],
    ['one with a lease', false, { state: 'submitted', expiry: -1, isLeased: true }],
  ])('behavior: on a chain that is followed, %s is listed: %s', async (_, isListed, row) => {
    await follow();
    await insert(1, row);
    expect((await list()).length).toBe(isListed ? 1 : 0);
  });

  it.each([
    ['stopped', 11],
    ['never started', undefined],
  ])(
    'behavior: lists every open intent when the follower %s, those that waited longest first',
    async (_, silent) => {
      if (silent !== undefined) await follow(silent);
      await insert(3, { state: 'included', event: {} });
      await insert(2, { state: 'submitted' });
      await insert(1, { state: 'submitted' });
      await insert(4, { state: 'confirmed' });
      expect(await list()).toEqual([
        [1, undefined],
        [2, undefined],
        [3, '0x3'],
      ]);
      expect(await list(1)).toEqual([[1, undefined]]);
    },
  );

  it('behavior: gives the transaction of the own operation only', async () => {
    await follow();
    await insert(1, { state: 'submitted', event: {} });
    await insert(2, { state: 'submitted', event: { by: 'another operation' } });
    expect(await list()).toEqual([
      [1, '0x1'],
      [2, undefined],
    ]);
  });
});
