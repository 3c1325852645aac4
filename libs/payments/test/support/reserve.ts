import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { Payments } from '../../src/payments.js';
import type { PaidRequest, PaymentSession } from '../../src/types.js';
import { response } from './build-request.js';
import { decode } from './sign-payment.js';

/** Begin a paid request that has to be reserved. */
export async function reserve(payments: Payments, request: PaidRequest): Promise<PaymentSession> {
  const result = await payments.begin(request);
  if (result.kind === 'reserved') return result.session;
  throw new Error(`not reserved: ${result.kind} ${reasonOf(result)}`);
}

/** Read why a payment is required; `undefined` where it is not. */
export function reasonOf(result: object): unknown {
  if (!('challenge' in result)) return undefined;
  const { headers } = result.challenge as { headers: Record<string, string> };
  return decode(headers['PAYMENT-REQUIRED']).error;
}

/** Check that the same request gets the stored response again. */
export const expectAnswered = async (payments: Payments, request: PaidRequest): Promise<void> =>
  expect(await payments.begin(request)).toMatchObject({ kind: 'answered', response });

/** Check that the outcome of an attempt is open, or that it was not made. */
export const expectUnavailable = (attempt: Promise<unknown>): Promise<void> =>
  expect(attempt).rejects.toBeInstanceOf(UpstreamUnavailableError);
