import { createPayments, type PaymentsDependencies, type PaymentsOptions } from '../../src/payments.js';
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
export const buildPayments = ({
  options,
  ...dependencies
}: Omit<PaymentsDependencies, 'options'> & { options?: Partial<PaymentsOptions> }) =>
  createPayments({ ...dependencies, options: { ...testOptions, ...options } });
