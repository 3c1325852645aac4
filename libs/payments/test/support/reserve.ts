import type { Payments } from '../../src/payments.js';
import type { PaidRequest, PaymentSession } from '../../src/types.js';
import { decode } from './sign-payment.js';

/** Begin a paid request that has to be reserved. */
export async function reserve(payments: Payments, request: PaidRequest): Promise<PaymentSession> {
  const verdict = await payments.begin(request);
  if (verdict.kind === 'reserved') return verdict.session;
  throw new Error(`not reserved: ${verdict.kind} ${reasonOf(verdict)}`);
}

/** Read why a payment is required; `undefined` where it is not. */
export function reasonOf(verdict: object): unknown {
  if (!('challenge' in verdict)) return undefined;
  const { headers } = verdict.challenge as { headers: Record<string, string> };
  return decode(headers['PAYMENT-REQUIRED']).error;
}
