import type { PaymentPayload } from '@x402/core/types';
import type { Payment } from '../types.js';
import { toRequirements } from '../steps/to-requirements.js';

/** Write a payment as x402 v2 does, whichever version it came in: both sign the same authorization. */
export function toPayload({ terms, authorization, signature }: Payment): PaymentPayload {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    x402Version: 2,
    accepted: toRequirements(terms),
    payload: {
      signature,
      authorization: {
        from,
        to,
        value: String(value),
        validAfter: String(validAfter),
        validBefore: String(validBefore),
        nonce,
      },
    },
  };
}
