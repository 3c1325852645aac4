import { openTestDatabase } from '@yield-vault/database/testing';
import { createDatabaseIntentStore } from '../../src/adapters/database-intent-store.js';
import type { IntentStore } from '../../src/ports.js';
import { sql } from 'kysely';

export interface OpenStores {
  /** Another process's view of the same ledger. */
  connect(): IntentStore;
  /** Delete every intent. */
  clear(): Promise<void>;
  /** Note a restore, as an operator does. */
  noteRestore(): Promise<void>;
  close(): Promise<void>;
}

export async function openStores(): Promise<OpenStores> {
  const database = await openTestDatabase();
  return {
    connect: () => createDatabaseIntentStore(database),
    clear: async () => {
      await database.db.deleteFrom('intent').execute();
      await database.db.deleteFrom('ledger_restore').execute();
    },
    noteRestore: async () => void (await sql`insert into ledger_restore default values`.execute(database.db)),
    close: () => database.close(),
  };
}
