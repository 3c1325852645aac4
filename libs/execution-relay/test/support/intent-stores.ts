import { databaseBackends } from '@yield-vault/database/testing';
import { createDatabaseIntentStore } from '../../src/adapters/database-intent-store.js';
import { createMemoryIntentStore } from '../../src/adapters/memory-intent-store.js';
import type { IntentStore } from '../../src/ports.js';

export interface OpenStores {
  /** Another process's view of the same ledger. */
  connect(): IntentStore;
  close(): Promise<void>;
}

/** Every back end of the ledger that can be used here. */
export const intentStores: readonly { readonly name: string; open(): Promise<OpenStores> }[] = [
  {
    name: 'memory',
    open() {
      const store = createMemoryIntentStore();
      return Promise.resolve({ connect: () => store, close: () => Promise.resolve() });
    },
  },
  ...databaseBackends().map(({ name, open }) => ({
    name,
    async open() {
      const database = await open();
      return { connect: () => createDatabaseIntentStore(database), close: () => database.close() };
    },
  })),
];
