import { testAccount } from '@yield-vault/testing';
import fc from 'fast-check';
import { buildChain } from '../test/support/build-chain.js';
import { buildPayment } from '../test/support/build-payment.js';
import { buildResource } from '../test/support/build-resource.js';
import { decode, encode, signPayment, type SignedPayment } from '../test/support/sign-payment.js';
import { checkWindow, fingerprintOf, readPayment } from './read-payment.js';
import type { Payment } from './types.js';
import { toPayload } from './x402-messages.js';

const payer = testAccount('payer');
const resource = buildResource();
let signed: SignedPayment;

beforeAll(async () => {
  signed = await signPayment(payer, buildChain());
});

const read = (headers: Record<string, string>, maxBytes?: number) =>
  readPayment((name) => headers[name], resource, maxBytes);
const reasonOf = (headers: Record<string, string>, maxBytes?: number) => {
  const reading = read(headers, maxBytes);
  return reading.kind === 'refused' ? reading.reason : reading.kind;
};

type Tree = { [key: string]: unknown };

/** The payload with one value put somewhere else; `undefined` takes it away. */
function withValue(payload: unknown, path: string, value: unknown): string {
  const copy = structuredClone(payload) as Tree;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Tree>((node, key) => node[key] as Tree, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return encode(copy);
}

/** The authorization in a payload of version 2, with any other fields and any case of its hex. */
function meaningOf(payload: unknown): string {
  const { accepted, payload: inner } = payload as { accepted: Tree; payload: Tree };
  const { from, to, value, validAfter, validBefore, nonce } = inner.authorization as Tree;
  const { scheme, network, amount, asset, payTo } = accepted;
  const parts = [scheme, network, amount, asset, payTo, inner.signature];
  return JSON.stringify([...parts, from, to, value, validAfter, validBefore, nonce]).toLowerCase();
}

describe('readPayment', () => {
  it('default: version 2', () => {
    const reading = read({ 'PAYMENT-SIGNATURE': signed.v2 });
    expect(reading).toMatchObject({
      kind: 'payment',
      payment: {
        version: 2,
        header: 'PAYMENT-SIGNATURE',
        terms: { network: 'eip155:8453' },
        authorization: signed.authorization,
        signature: signed.signature,
      },
    });
  });

  it('behavior: version 1, and version 2 under the name of version 1', () => {
    expect(read({ 'X-PAYMENT': signed.v1 })).toMatchObject({
      kind: 'payment',
      payment: { version: 1, header: 'X-PAYMENT', terms: { network: 'eip155:8453' } },
    });
    expect(read({ 'X-PAYMENT': signed.v2 })).toMatchObject({
      kind: 'payment',
      payment: { version: 2, header: 'X-PAYMENT' },
    });
  });

  it('behavior: addresses and hex in any case', async () => {
    const lower = withValue(
      decode(signed.v2),
      'payload.authorization.to',
      signed.authorization.to.toLowerCase(),
    );
    const upper = signed.authorization.nonce.toUpperCase().replace('0X', '0x');
    expect(reasonOf({ 'PAYMENT-SIGNATURE': lower })).toBe('payment');
    expect(
      read({ 'PAYMENT-SIGNATURE': withValue(decode(signed.v2), 'payload.authorization.nonce', upper) }),
    ).toMatchObject({ payment: { authorization: { nonce: signed.authorization.nonce } } });
  });

  it('behavior: without a payment', () => {
    expect(read({})).toEqual({ kind: 'none' });
  });

  it('error: both headers at once', () => {
    expect(reasonOf({ 'PAYMENT-SIGNATURE': signed.v2, 'X-PAYMENT': signed.v1 })).toBe('invalid_payload');
  });

  it('error: a header that is too long', () => {
    expect(reasonOf({ 'PAYMENT-SIGNATURE': 'A'.repeat(8_193) })).toBe('payment_header_too_large');
    expect(reasonOf({ 'PAYMENT-SIGNATURE': signed.v2 }, 100)).toBe('payment_header_too_large');
  });

  it.each([
    ['empty', ''],
    ['no base64', '%%%'],
    ['two headers joined', 'e30=, e30='],
    ['no JSON', Buffer.from('{').toString('base64')],
    ['null', encode(null)],
    ['an empty object', encode({})],
    ['a prototype', Buffer.from('{"__proto__":{"x402Version":2}}').toString('base64')],
  ])('error: %s', (_, header) => {
    expect(reasonOf({ 'PAYMENT-SIGNATURE': header })).toBe('invalid_payload');
    expect(reasonOf({ 'X-PAYMENT': header })).toBe('invalid_payload');
  });

  it.each([
    ['x402Version', 3, 'invalid_x402_version'],
    ['accepted', undefined, 'invalid_payload'],
    ['accepted.scheme', 'upto', 'invalid_scheme'],
    ['accepted.network', 'eip155:137', 'invalid_network'],
    ['accepted.amount', '10001', 'invalid_payment_requirements'],
    ['accepted.amount', '010000', 'invalid_payment_requirements'],
    ['accepted.asset', payer.address, 'invalid_payment_requirements'],
    ['accepted.payTo', payer.address, 'invalid_payment_requirements'],
    ['accepted.network', 'eip155:1', 'invalid_payment_requirements'],
    ['payload', undefined, 'invalid_payload'],
    ['payload.signature', undefined, 'invalid_payload'],
    ['payload.signature', '0xabc', 'invalid_payload'],
    ['payload.authorization', 'abc', 'invalid_payload'],
    ['payload.authorization.from', '0x1234', 'invalid_payload'],
    ['payload.authorization.value', 10000, 'invalid_payload'],
    ['payload.authorization.value', '-10000', 'invalid_payload'],
    ['payload.authorization.value', String(1n << 256n), 'invalid_payload'],
    ['payload.authorization.value', '9999', 'invalid_exact_evm_payload_authorization_value_mismatch'],
    ['payload.authorization.to', payer.address, 'invalid_exact_evm_recipient_mismatch'],
    ['payload.authorization.validBefore', 'soon', 'invalid_payload'],
    ['payload.authorization.nonce', '0x01', 'invalid_payload'],
  ])('error: %s is %j', (path, value, reason) => {
    expect(reasonOf({ 'PAYMENT-SIGNATURE': withValue(decode(signed.v2), path, value) })).toBe(reason);
  });

  it.each([
    ['network', 'ethereum', 'invalid_network'],
    ['network', 'eip155:8453', 'invalid_network'],
    ['network', undefined, 'invalid_payload'],
    ['scheme', 'upto', 'invalid_scheme'],
    ['payload.authorization.value', '9999', 'invalid_exact_evm_payload_authorization_value_mismatch'],
  ])('error: of version 1, %s is %j', (path, value, reason) => {
    expect(reasonOf({ 'X-PAYMENT': withValue(decode(signed.v1), path, value) })).toBe(reason);
  });

  it('error: version 1 where only version 2 is', () => {
    expect(reasonOf({ 'PAYMENT-SIGNATURE': signed.v1 })).toBe('invalid_x402_version');
  });

  it('behavior: any header is refused with a code, or means exactly the signed payment', () => {
    const payload = decode(signed.v2);
    const paths = [
      'x402Version',
      ...['scheme', 'network', 'amount', 'asset', 'payTo'].map((key) => `accepted.${key}`),
      'payload.signature',
      ...['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'].map(
        (key) => `payload.authorization.${key}`,
      ),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        const header = withValue(payload, path, value);
        const reading = read({ 'PAYMENT-SIGNATURE': header }, 1_000_000);
        if (reading.kind === 'refused') return /^[a-z0-9_]+$/.test(reading.reason);
        return (
          reading.kind === 'payment' && meaningOf(toPayload(reading.payment)) === meaningOf(decode(header))
        );
      }),
      { numRuns: 200 },
    );
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => read({ 'X-PAYMENT': text }).kind === 'refused'),
      { numRuns: 200 },
    );
  });
});

describe('checkWindow', () => {
  const now = 1_795_000_000n;
  const nowMs = Number(now) * 1000 + 999;
  const before = 'invalid_exact_evm_payload_authorization_valid_before';
  const after = 'invalid_exact_evm_payload_authorization_valid_after';

  it.each([
    ['as clients of v2 sign', 0n, now + 120n, undefined],
    ['as clients of v1 sign', now - 600n, now + 60n, undefined],
    ['just long enough', 0n, now + 10n, undefined],
    ['too short', 0n, now + 9n, before],
    ['expired', 0n, now - 1n, before],
    ['a payer whose clock is ahead', 0n, now + 150n, undefined],
    ['for ten years', 0n, now + 315_360_000n, before],
    ['from now on', now, now + 60n, undefined],
    ['not yet', now + 1n, now + 60n, after],
  ])('behavior: valid %s', async (_, validAfter, validBefore, reason) => {
    expect(checkWindow(await buildPayment({ validAfter, validBefore }), nowMs)).toBe(reason);
  });
});

describe('fingerprintOf', () => {
  const request = { method: 'POST', path: '/v1/yield/prepare', body: Buffer.from('{"a":1}') };
  const nonce = `0x${'01'.repeat(32)}` as const;

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
    const requests = [
      { method: 'PUT' },
      { path: '/v1/yield/discover' },
      { path: `${request.path}?a=1` },
      { body: Buffer.from('{"a": 1}') },
      { body: Buffer.alloc(0) },
    ];
    const payments = [
      payment,
      { ...payment, signature: '0x01' as const },
      authorized({ from: payment.terms.payTo }),
      authorized({ to: payment.authorization.from }),
      authorized({ value: 1n }),
      authorized({ validAfter: 1n }),
      authorized({ validBefore: 1n }),
      authorized({ nonce }),
      termed({ network: 'eip155:1' }),
      termed({ amount: 1n }),
      termed({ payTo: payment.authorization.from }),
    ];
    const all = [
      ...requests.map((parts) => fingerprintOf({ ...request, ...parts }, payment)),
      ...payments.map((each) => fingerprintOf(request, each)),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
