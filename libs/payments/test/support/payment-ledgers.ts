import { databaseBackends } from '@yield-vault/database/testing';
import { createDatabasePaymentLedger } from '../../src/adapters/database-payment-ledger.js';
import { createMemoryPaymentLedger } from './memory-payment-ledger.js';
import type { LedgerLimits, PaymentLedger } from '../../src/ports.js';

export interface OpenLedgers {
  /** Another process's view of the same ledger. */
  connect(limits?: LedgerLimits): PaymentLedger;
  close(): Promise<void>;
}

/** Every back end of the ledger that can be used here. One in memory is one process, whose limits are fixed. */
export const paymentLedgers: readonly { readonly name: string; open(): Promise<OpenLedgers> }[] = [
  {
    name: 'memory',
    open() {
      const opened = new Map<string, PaymentLedger>();
      const connect = (limits: LedgerLimits = {}) => {
        const key = JSON.stringify(limits);
        const ledger = opened.get(key) ?? createMemoryPaymentLedger(limits);
        opened.set(key, ledger);
        return ledger;
      };
      return Promise.resolve({ connect, close: () => Promise.resolve() });
    },
  },
  ...databaseBackends().map(({ name, open }) => ({
    name,
    async open() {
      const database = await open();
      return {
        connect: (limits?: LedgerLimits) => createDatabasePaymentLedger(database, limits),
        close: () => database.close(),
      };
    },
  })),
];
