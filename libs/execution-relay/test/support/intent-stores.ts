import { databaseBackends } from '@yield-vault/database/testing';
import { createDatabaseIntentStore } from '../../src/adapters/database-intent-store.js';
import type { IntentStore } from '../../src/ports.js';

export interface OpenStores {
  /** Another process's view of the same ledger. */
  connect(): IntentStore;
  close(): Promise<void>;
}

/** The ledger in each database that is available here. */
export const intentStores = databaseBackends().map(({ name, open }) => ({
  name,
  async open(): Promise<OpenStores> {
    const database = await open();
    return { connect: () => createDatabaseIntentStore(database), close: () => database.close() };
  },
}));
