import { buildPayment } from '../../test/support/build-payment.js';
import type { Payment } from '../types.js';
import { fingerprintOf } from './fingerprint-of.js';

const request = { method: 'POST', path: '/v1/yield/prepare', body: Buffer.from('{"a":1}') };
const nonce = `0x${'01'.repeat(32)}` as const;

describe('fingerprintOf', () => {
  it('default: the same request and payment again', async () => {
    const payment = await buildPayment({ nonce });
    expect(fingerprintOf(request, payment)).toBe(
      fingerprintOf({ ...request, method: 'post' }, { ...payment }),
    );
  });

  it('behavior: version and header of the protocol make no difference', async () => {
    const payment = await buildPayment();
    expect(fingerprintOf(request, { ...payment, version: 1, header: 'X-PAYMENT' })).toBe(
      fingerprintOf(request, payment),
    );
  });

  it('behavior: everything that is bought or signed makes one', async () => {
    const payment = await buildPayment();
    const authorized = (parts: Partial<Payment['authorization']>): Payment => ({
      ...payment,
      authorization: { ...payment.authorization, ...parts },
    });
    const termed = (parts: Partial<Payment['terms']>): Payment => ({
      ...payment,
      terms: { ...payment.terms, ...parts },
    });
    const all = [
      fingerprintOf(request, payment),
      fingerprintOf({ ...request, method: 'PUT' }, payment),
      fingerprintOf({ ...request, path: '/v1/yield/discover' }, payment),
      fingerprintOf({ ...request, path: `${request.path}?a=1` }, payment),
      fingerprintOf({ ...request, body: Buffer.from('{"a": 1}') }, payment),
      fingerprintOf({ ...request, body: Buffer.alloc(0) }, payment),
      fingerprintOf(request, { ...payment, signature: '0x01' }),
      fingerprintOf(request, authorized({ from: payment.terms.payTo })),
      fingerprintOf(request, authorized({ to: payment.authorization.from })),
      fingerprintOf(request, authorized({ value: 1n })),
      fingerprintOf(request, authorized({ validAfter: 1n })),
      fingerprintOf(request, authorized({ validBefore: 1n })),
      fingerprintOf(request, authorized({ nonce })),
      fingerprintOf(request, termed({ network: 'eip155:1' })),
      fingerprintOf(request, termed({ amount: 1n })),
      fingerprintOf(request, termed({ payTo: payment.authorization.from })),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
