import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { sql } from 'kysely';
import { createDatabasePaymentLedger } from '../../src/adapters/database-payment-ledger.js';
import type { LedgerLimits, PaymentLedger } from '../../src/ports.js';

/** Open the payment ledger of a spec file. It is emptied after each test. */
export function openLedgers() {
  let database: DatabaseHandle;
  const clear = async () => void (await database.db.deleteFrom('payment').execute());
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterEach(clear);
  afterAll(() => database.close());
  return {
    /** Another process's view of the same ledger. */
    connect: (limits?: LedgerLimits): PaymentLedger => createDatabasePaymentLedger(database, limits),
    clear,
    /** Let every lease, and every stored response, grow older. */
    age: async (seconds: number) => {
      const lease_until = sql<Date>`lease_until - ${seconds} * interval '1 second'`;
      await database.db.updateTable('payment').set({ lease_until }).execute();
    },
  };
}
