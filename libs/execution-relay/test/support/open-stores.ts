import { openTestDatabase } from '@yield-vault/database/testing';
import { createDatabaseIntentStore } from '../../src/adapters/database-intent-store.js';
import type { IntentStore } from '../../src/ports.js';
import type { StoredEvents } from './fake-events.js';
import { sql } from 'kysely';

export interface OpenStores {
  /** Another process's view of the same ledger. */
  connect(): IntentStore;
  /** Delete every intent, and what a follower stored. */
  clear(): Promise<void>;
  /** Store the newest block of a chain and its operations, as the follower of the chain does. */
  follow(chainId: number, stored: Pick<StoredEvents, 'block' | 'operations'>): Promise<void>;
  /** Note a restore, as an operator does. */
  noteRestore(): Promise<void>;
  close(): Promise<void>;
}

export async function openStores(): Promise<OpenStores> {
  const database = await openTestDatabase();
  const forget = async () => {
    await database.db.deleteFrom('followed_chain').execute();
    await database.db.deleteFrom('user_operation').execute();
  };
  return {
    connect: () => createDatabaseIntentStore(database),
    clear: async () => {
      await database.db.deleteFrom('intent').execute();
      await database.db.deleteFrom('ledger_restore').execute();
      await forget();
    },
    follow: async (id, { block, operations }) => {
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
    noteRestore: async () => void (await sql`insert into ledger_restore default values`.execute(database.db)),
    close: () => database.close(),
  };
}
