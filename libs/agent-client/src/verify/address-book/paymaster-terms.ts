import { paymasterPostOpGas } from '@yield-vault/contracts';
import type { BookPaymaster } from '../types.js';

type Terms = Omit<BookPaymaster, 'address'>;

/** What the paymaster of the suite can charge: its code allows no higher markup. */
export const ownPaymasterTerms: Terms = { kind: 'own', maxMarkupBps: 2_000, extraGas: paymasterPostOpGas };

/** What Circle documents for its paymaster: its surcharge, and the gas that it adds. */
export const circlePaymasterTerms: Terms = { kind: 'circle', maxMarkupBps: 1_000, extraGas: 35_000n };
