import { testAccount } from '@yield-vault/testing';
import { readPayment } from '../../src/read-payment.js';
import type { Payment } from '../../src/types.js';
import { buildResource } from './build-resource.js';
import { signPayment, type PaymentParts } from './sign-payment.js';

/** Build a payment as the engine reads it. */
export async function buildPayment(parts: PaymentParts = {}, resource = buildResource()): Promise<Payment> {
  const [terms] = resource.terms;
  if (!terms) throw new Error('the resource has no terms');
  const { v2 } = await signPayment(testAccount('payer'), terms.chain, parts);
  const reading = readPayment((name) => (name === 'PAYMENT-SIGNATURE' ? v2 : undefined), resource);
  if (reading.kind !== 'payment') throw new Error(`the payment is not read: ${JSON.stringify(reading)}`);
  return reading.payment;
}
