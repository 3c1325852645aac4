import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import type { ExecuteRequest } from '@yield-vault/protocol';
import { sql } from 'kysely';
import { createDatabaseIntentStore } from '../../src/adapters/database-intent-store.js';
import type { IntentRecord, IntentStore } from '../../src/ports.js';
import { idOf } from './outcomes.js';
import type { StoredEvents } from './fake-events.js';

/** Open the ledger of a spec file. It is emptied after each test. */
export function openStores() {
  let database: DatabaseHandle;
  const forget = async () => {
    await database.db.deleteFrom('followed_chain').execute();
    await database.db.deleteFrom('user_operation').execute();
  };
  /** Delete every intent, and what a follower stored. */
  const clear = async () => {
    await database.db.deleteFrom('intent').execute();
    await database.db.deleteFrom('ledger_restore').execute();
    await forget();
  };
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterEach(clear);
  afterAll(() => database.close());
  const connect = (): IntentStore => createDatabaseIntentStore(database);
  const stateOf = async (request: ExecuteRequest) => (await connect().find(idOf(request)))?.state;
  return {
    /** Another process's view of the same ledger. */
    connect,
    /** State of an intent; `undefined` without a row. */
    stateOf,
    expectState: async (request: ExecuteRequest, state: IntentRecord['state'] | undefined) =>
      expect(await stateOf(request)).toBe(state),
    clear,
    /** Store the newest block of a chain and its operations, as the follower of the chain does. */
    follow: async (id: number, { block, operations }: Pick<StoredEvents, 'block' | 'operations'>) => {
      const chain_id = BigInt(id);
      await forget();
      await database.db
        .insertInto('followed_chain')
        .values({ chain_id, block, first_block: 0n, block_hash: '0x', block_time: 0n })
        .execute();
      for (const { userOpHash, sender, nonce, txHash, blockNumber } of operations)
        await database.db
          .insertInto('user_operation')
          .values({
            chain_id,
            user_op_hash: userOpHash,
            wallet: sender.toLowerCase(),
            nonce,
            block: blockNumber,
            log_index: 0,
            tx_hash: txHash,
            gas_usdc: null,
          })
          .execute();
    },
    /** Note a restore, as an operator does. */
    noteRestore: async () => void (await sql`insert into ledger_restore default values`.execute(database.db)),
  };
}
