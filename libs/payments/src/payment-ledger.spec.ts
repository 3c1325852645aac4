import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testAccount } from '@yield-vault/testing';
import { getAddress, toHex } from 'viem';
import { response } from '../test/support/build-request.js';
import { paymentLedgers, type OpenLedgers } from '../test/support/payment-ledgers.js';
import type { NewPayment } from './ports.js';

const transaction = toHex(1, { size: 32 });
let payers = 0;

/** A payment of a payer of its own. */
function buildNew(parts: Partial<NewPayment> = {}): NewPayment {
  return {
    chainId: 8453,
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payer: testAccount(`ledger payer ${++payers}`).address,
    nonce: toHex(randomBytes(32)),
    fingerprint: toHex(7, { size: 32 }),
    expiresAtMs: Date.now() + 600_000,
    ...parts,
  };
}
const lease = (owner: string, seconds = 60) => ({ owner, seconds });
const other = toHex(8, { size: 32 });

describe.each(paymentLedgers)('payment ledger ($name)', ({ open }) => {
  let ledgers: OpenLedgers;
  beforeAll(async () => {
    ledgers = await open();
  });
  afterAll(() => ledgers.close());

  it('default: reserved, answered, settled, and known for ever after', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    await expect(ledger.claim(payment, lease('a'))).resolves.toMatchObject({
      kind: 'owned',
      record: { state: 'reserved', fingerprint: payment.fingerprint },
    });
    await expect(ledger.claim(payment, lease('b'))).resolves.toMatchObject({
      kind: 'known',
      record: { state: 'reserved' },
    });
    await expect(ledger.keepResponse(payment, lease('a'), response)).resolves.toBe(true);
    await ledger.settle(payment, 'a', transaction);
    const { kind, record } = (await ledgers.connect().claim(payment, lease('c', 0))) as {
      kind: string;
      record: { response: typeof response };
    };
    expect(kind).toBe('known');
    expect(record).toMatchObject({ state: 'settled', transaction, fingerprint: payment.fingerprint });
    expect({ ...record.response, body: Buffer.from(record.response.body) }).toEqual({
      ...response,
      body: Buffer.from(response.body),
    });
  });

  it('behavior: bytes that are no text come back as they are', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    const body = new Uint8Array(randomBytes(10_000));
    await ledger.claim(payment, lease('a'));
    await ledger.keepResponse(payment, lease('a', 0), { ...response, body });
    const claim = await ledger.claim(payment, lease('b'));
    if (claim.kind === 'full') throw new Error('full');
    expect(Buffer.from(claim.record.response?.body ?? []).equals(body)).toBe(true);
  });

  it('behavior: one of a hundred at once gets it', async () => {
    const payment = buildNew();
    const claims = await Promise.all(
      Array.from({ length: 100 }, (_, index) => ledgers.connect().claim(payment, lease(`owner ${index}`))),
    );
    expect(claims.filter(({ kind }) => kind === 'owned')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'known')).toHaveLength(99);
  });

  it('behavior: addresses in another case are the same payment', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    await ledger.claim(payment, lease('a'));
    const again = { ...payment, payer: payment.payer.toLowerCase() as `0x${string}` };
    expect(getAddress(again.payer)).toBe(payment.payer);
    await expect(ledger.claim(again, lease('b'))).resolves.toMatchObject({ kind: 'known' });
  });

  it.each([{ chainId: 1 }, { nonce: other }, { asset: other.slice(0, 42) as `0x${string}` }])(
    'behavior: another payment differs by %j',
    async (parts) => {
      const ledger = ledgers.connect();
      const payment = buildNew();
      await ledger.claim(payment, lease('a'));
      await expect(ledger.claim({ ...payment, ...parts }, lease('b'))).resolves.toMatchObject({
        kind: 'owned',
      });
    },
  );

  it('behavior: a lease that ran out is taken over, for another request too', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    await ledger.claim(payment, lease('a', 0));
    await pause(5);
    await expect(ledger.claim({ ...payment, fingerprint: other }, lease('b'))).resolves.toMatchObject({
      kind: 'owned',
      record: { state: 'reserved', fingerprint: other },
    });
    // Its first owner is too late.
    await expect(ledger.keepResponse(payment, lease('a'), response)).resolves.toBe(false);
    await ledger.forget(payment, 'a', 'reserved');
    await expect(ledger.claim(payment, lease('c'))).resolves.toMatchObject({ kind: 'known' });
  });

  it('behavior: one with its response is taken over for the same request only', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    await ledger.claim(payment, lease('a'));
    await ledger.keepResponse(payment, lease('a', 0), response);
    await pause(5);
    await expect(ledger.claim({ ...payment, fingerprint: other }, lease('b'))).resolves.toMatchObject({
      kind: 'known',
      record: { state: 'settling' },
    });
    await expect(ledger.claim(payment, lease('c'))).resolves.toMatchObject({
      kind: 'owned',
      record: { state: 'settling', response: { status: 200, contentType: response.contentType } },
    });
  });

  it('behavior: released at once, kept as it is', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    await ledger.claim(payment, lease('a'));
    await ledger.keepResponse(payment, lease('a'), response);
    await ledger.release(payment, 'b');
    await expect(ledger.claim(payment, lease('c'))).resolves.toMatchObject({ kind: 'known' });
    await ledger.release(payment, 'a');
    await pause(5);
    await expect(ledger.claim(payment, lease('c'))).resolves.toMatchObject({ kind: 'owned' });
  });

  it('behavior: forgotten only in the state that it is in', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    await ledger.claim(payment, lease('a'));
    await ledger.keepResponse(payment, lease('a'), response);
    await ledger.forget(payment, 'a', 'reserved');
    await expect(ledger.claim(payment, lease('b'))).resolves.toMatchObject({ kind: 'known' });
    await ledger.forget(payment, 'a', 'settling');
    await expect(ledger.claim(payment, lease('b'))).resolves.toMatchObject({
      kind: 'owned',
      record: { state: 'reserved' },
    });
  });

  it('behavior: nothing changes once it is settled', async () => {
    const ledger = ledgers.connect();
    const payment = buildNew();
    await ledger.claim(payment, lease('a'));
    await ledger.keepResponse(payment, lease('a'), response);
    await ledger.settle(payment, 'a', transaction);
    await ledger.settle(payment, 'a', other);
    await ledger.release(payment, 'a');
    await ledger.forget(payment, 'a', 'settling');
    await expect(ledger.keepResponse(payment, lease('a'), response)).resolves.toBe(false);
    await expect(ledger.claim(payment, lease('b'))).resolves.toMatchObject({
      kind: 'known',
      record: { state: 'settled', transaction },
    });
  });

  it('behavior: only expired rows are removed', async () => {
    const ledger = ledgers.connect();
    const expired = buildNew({ expiresAtMs: Date.now() - 1_000 });
    const valid = buildNew();
    await ledger.claim(expired, lease('a'));
    await ledger.claim(valid, lease('a'));
    await ledger.purge();
    await expect(ledger.claim(expired, lease('b'))).resolves.toMatchObject({ kind: 'owned' });
    await expect(ledger.claim(valid, lease('b'))).resolves.toMatchObject({ kind: 'known' });
  });

  it('behavior: kept for as long as the signature that took it over is valid', async () => {
    const ledger = ledgers.connect();
    const short = buildNew({ expiresAtMs: Date.now() - 1_000 });
    const long = { ...short, fingerprint: other, expiresAtMs: Date.now() + 600_000 };
    await ledger.claim(short, lease('a', 0));
    await pause(5);
    await expect(ledger.claim(long, lease('b'))).resolves.toMatchObject({ kind: 'owned' });
    await ledger.purge();
    await expect(ledger.claim(long, lease('c'))).resolves.toMatchObject({ kind: 'known' });
  });

  it('behavior: one payer has so many in flight, at once too; settled ones do not count', async () => {
    const limits = { maxInFlightPerPayer: 3 };
    const ledger = ledgers.connect(limits);
    const { payer } = buildNew();
    const payments = Array.from({ length: 20 }, () => buildNew({ payer }));
    const claims = await Promise.all(
      payments.map((payment) => ledgers.connect(limits).claim(payment, lease('a'))),
    );
    expect(claims.filter(({ kind }) => kind === 'owned')).toHaveLength(3);
    expect(claims.filter((claim) => claim.kind === 'full' && claim.of === 'payer')).toHaveLength(17);
    const [first] = payments.filter((_, index) => claims[index]?.kind === 'owned');
    if (!first) throw new Error('none was reserved');
    await ledger.keepResponse(first, lease('a'), response);
    await ledger.settle(first, 'a', transaction);
    await expect(ledger.claim(buildNew({ payer }), lease('a'))).resolves.toMatchObject({ kind: 'owned' });
    await expect(ledger.claim(buildNew(), lease('a'))).resolves.toMatchObject({ kind: 'owned' });
  });

  it('behavior: no more in flight than there is room for; one that is known needs none', async () => {
    const own = await open();
    const ledger = own.connect({ maxInFlight: 1 });
    const known = buildNew();
    await ledger.claim(known, lease('a'));
    await expect(ledger.claim(buildNew(), lease('b'))).resolves.toEqual({ kind: 'full', of: 'ledger' });
    await expect(ledger.claim(known, lease('b'))).resolves.toMatchObject({ kind: 'known' });
    await own.close();
  });
});
