import { ServiceError, UpstreamUnavailableError } from '@yield-vault/protocol';
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
export async function expectUnavailable(attempt: Promise<unknown>): Promise<UpstreamUnavailableError> {
  const error = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UpstreamUnavailableError);
  return error as UpstreamUnavailableError;
}

/** Check that a payment buys nothing more. */
export const expectUsedUp = async (payments: Payments, request: PaidRequest): Promise<void> =>
  expect(reasonOf(await payments.begin({ ...request, path: '/other' }))).toBe('payment_already_used');

/** What may leave the service, with its headers decoded. */
export const shown = (value: unknown): string =>
  value instanceof ServiceError
    ? JSON.stringify([value.message, value.detail, value.details, value.nextAction])
    : JSON.stringify(value, (_, part: unknown) =>
        typeof part === 'string' && /^eyJ/.test(part) ? decode(part) : part,
      );
