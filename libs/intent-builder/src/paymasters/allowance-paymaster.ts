import type { Address } from 'viem';
import type { Paymaster } from './paymaster.js';

/** Make a paymaster that needs nothing but an allowance: estimating and signing ask nobody. */
export function allowancePaymaster(paymaster: Address, terms: Paymaster['terms']): Paymaster {
  const fields = { paymaster, paymasterData: '0x' } as const;
  return {
    terms,
    stub: () => Promise.resolve({ fields, isFinal: true }),
    // What limits its validity are the terms, which are known before the estimate.
    seal: () => Promise.resolve({ paymasterData: '0x', validUntil: Infinity, validAfter: 0 }),
  };
}
