import { openTestDatabase } from '@yield-vault/database/testing';
import { createDatabasePaymentLedger } from '../../src/adapters/database-payment-ledger.js';
import type { LedgerLimits, PaymentLedger } from '../../src/ports.js';

export interface OpenLedgers {
  /** Another process's view of the same ledger. */
  connect(limits?: LedgerLimits): PaymentLedger;
  /** Delete every payment. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** An empty ledger in a database of its own. */
export async function openLedgers(): Promise<OpenLedgers> {
  const database = await openTestDatabase();
  return {
    connect: (limits) => createDatabasePaymentLedger(database, limits),
    clear: async () => void (await database.db.deleteFrom('payment').execute()),
    close: () => database.close(),
  };
}
