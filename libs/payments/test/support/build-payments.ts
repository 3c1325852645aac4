import { createMemoryPaymentLedger } from './memory-payment-ledger.js';
import { createPayments, type PaymentsDependencies, type PaymentsOptions } from '../../src/payments.js';
import type { Facilitator } from '../../src/ports.js';
import { payTo } from './payment-chain.js';

/** Price of a call in tests: one cent. */
export const price = 10_000n;

export const testOptions: PaymentsOptions = {
  payTo,
  publicUrl: 'https://api.example.com',
  resources: {
    discover: {
      method: 'POST',
      path: '/v1/yield/discover',
      priceUsd: '0.01',
      description: 'Rank vaults',
    },
    prepare: {
      method: 'POST',
      path: '/v1/yield/prepare',
      priceUsd: '0.01',
      description: 'Prepare a yield operation',
    },
  },
};

/** Make an engine; a test gives only the options that it is about. */
export function buildPayments({
  options,
  ...dependencies
}: Pick<PaymentsDependencies, 'chains' | 'facilitator'> &
  Partial<Omit<PaymentsDependencies, 'options'>> & { options?: Partial<PaymentsOptions> }) {
  const ledger = dependencies.ledger ?? createMemoryPaymentLedger();
  return createPayments({ ...dependencies, ledger, options: { ...testOptions, ...options } });
}

/** A facilitator that accepts everything and counts its calls; a test gives only the parts that it is about. */
export function buildFacilitator(parts: Partial<Facilitator> = {}) {
  const calls = { verify: 0, settle: 0 };
  const facilitator: Facilitator = {
    verify: (payment) => {
      calls.verify++;
      return parts.verify?.(payment) ?? Promise.resolve(undefined);
    },
    settle: (payment) => {
      calls.settle++;
      return (
        parts.settle?.(payment) ??
        Promise.resolve({ kind: 'settled', transaction: payment.authorization.nonce })
      );
    },
    inspect: (terms) => parts.inspect?.(terms) ?? Promise.resolve({ problems: [], warnings: [] }),
  };
  return { facilitator, calls };
}
