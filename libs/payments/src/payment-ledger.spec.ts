import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testAccount } from '@yield-vault/testing';
import { getAddress, toHex } from 'viem';
import { response } from '../test/support/build-request.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import type { NewPayment, PaymentLedger } from './ports.js';

const transaction = toHex(1, { size: 32 });
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
let payers = 0;
const inSeconds = (seconds: number) => BigInt(Math.floor(Date.now() / 1_000) + seconds);

/** A payment of a payer of its own. */
function buildNew(parts: Partial<NewPayment> = {}): NewPayment {
  return {
    chainId: 8453,
    asset,
    payer: testAccount(`ledger payer ${++payers}`).address,
    nonce: toHex(randomBytes(32)),
    fingerprint: toHex(7, { size: 32 }),
    payTo: testAccount('payee').address,
    amount: 10_000n,
    validBefore: inSeconds(120),
    ...parts,
  };
}
const lease = (owner: string, seconds = 60) => ({ owner, seconds });
/** A payment whose response is kept. */
async function keepNew(ledger: PaymentLedger, parts: Partial<NewPayment> = {}, seconds = 60) {
  const payment = buildNew(parts);
  await ledger.reserve(payment, lease('a'));
  await ledger.keepResponse(payment, lease('a', seconds), response);
  return payment;
}
const lapsedOf = (ledger: PaymentLedger) => ledger.lapsed(8453, asset);
const other = toHex(8, { size: 32 });

describe('payment ledger', () => {
  const ledgers = openLedgers();
  let ledger: PaymentLedger;
  beforeAll(() => (ledger = ledgers.connect()));
  /** Reserve a payment for an owner. */
  const expectReserved = async (
    payment: NewPayment,
    owner: string,
    kind: 'owned' | 'known',
    record = {},
    on = ledger,
  ) => expect(await on.reserve(payment, lease(owner))).toMatchObject({ kind, record });

  it('default: reserved, answered, settled, and known for ever after', async () => {
    const payment = buildNew();
    await expectReserved(payment, 'a', 'owned', { state: 'reserved', fingerprint: payment.fingerprint });
    await expectReserved(payment, 'b', 'known', { state: 'reserved' });
    expect(await ledger.keepResponse(payment, lease('a'), response)).toBe(true);
    await ledger.settle(payment, 'a', transaction);
    const { kind, record } = (await ledgers.connect().reserve(payment, lease('c', 0))) as {
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
    const payment = buildNew();
    const body = new Uint8Array(randomBytes(10_000));
    await ledger.reserve(payment, lease('a'));
    await ledger.keepResponse(payment, lease('a', 0), { ...response, body });
    const reservation = await ledger.reserve(payment, lease('b'));
    if (reservation.kind === 'full') throw new Error('full');
    expect(Buffer.from(reservation.record.response?.body ?? []).equals(body)).toBe(true);
  });

  it('behavior: one of thirty at once gets it', async () => {
    const payment = buildNew();
    const reservations = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ledgers.connect().reserve(payment, lease(`owner ${index}`))),
    );
    expect(reservations.filter(({ kind }) => kind === 'owned')).toHaveLength(1);
    expect(reservations.filter(({ kind }) => kind === 'known')).toHaveLength(29);
  });

  it('behavior: addresses in another case are the same payment', async () => {
    const payment = buildNew();
    await ledger.reserve(payment, lease('a'));
    const again = { ...payment, payer: payment.payer.toLowerCase() as `0x${string}` };
    expect(getAddress(again.payer)).toBe(payment.payer);
    await expectReserved(again, 'b', 'known');
  });

  const address = other.slice(0, 42) as `0x${string}`;
  it.each([{ chainId: 1 }, { nonce: other }, { asset: address }, { payer: address }])(
    'behavior: another payment differs by %j',
    async (parts) => {
      const payment = buildNew();
      await ledger.reserve(payment, lease('a'));
      await expectReserved({ ...payment, ...parts }, 'b', 'owned');
    },
  );

  it('behavior: a lease that ran out is taken over, for another request too', async () => {
    const payment = buildNew();
    await ledger.reserve(payment, lease('a', 0));
    await pause(5);
    await expectReserved({ ...payment, fingerprint: other }, 'b', 'owned', {
      state: 'reserved',
      fingerprint: other,
    });
    // Its first owner is too late.
    expect(await ledger.keepResponse(payment, lease('a'), response)).toBe(false);
    await ledger.delete(payment, 'a', 'reserved');
    await expectReserved(payment, 'c', 'known');
  });

  it('behavior: one with its response is taken over for the same request only', async () => {
    const payment = await keepNew(ledger, {}, 0);
    await pause(5);
    await expectReserved({ ...payment, fingerprint: other }, 'b', 'known', { state: 'settling' });
    await expectReserved(payment, 'c', 'owned', {
      state: 'settling',
      response: { status: 200, contentType: response.contentType },
    });
  });

  it('behavior: released at once, kept as it is', async () => {
    const payment = await keepNew(ledger);
    await ledger.release(payment, 'b');
    await expectReserved(payment, 'c', 'known');
    await ledger.release(payment, 'a');
    await pause(5);
    await expectReserved(payment, 'c', 'owned');
  });

  it('behavior: forgotten only in the state that it is in', async () => {
    const payment = await keepNew(ledger);
    await ledger.delete(payment, 'a', 'reserved');
    await expectReserved(payment, 'b', 'known');
    await ledger.delete(payment, 'a', 'settling');
    await expectReserved(payment, 'b', 'owned', { state: 'reserved' });
  });

  it('behavior: nothing changes once it is settled', async () => {
    const payment = await keepNew(ledger);
    await ledger.settle(payment, 'a', transaction);
    await ledger.settle(payment, 'a', other);
    await ledger.release(payment, 'a');
    await ledger.delete(payment, 'a', 'settling');
    expect(await ledger.keepResponse(payment, lease('a'), response)).toBe(false);
    await expectReserved(payment, 'b', 'known', { state: 'settled', transaction });
  });

  it('behavior: the response of a settled payment is returned for a limited time', async () => {
    const ledger = ledgers.connect({ repeatSeconds: 0 });
    const payment = await keepNew(ledger);
    await ledger.settle(payment, 'a', transaction);
    await pause(5);
    const reservation = await ledger.reserve(payment, lease('b'));
    expect(reservation).toMatchObject({ kind: 'known', record: { state: 'settled', transaction } });
    expect(reservation.kind === 'known' && reservation.record.response).toBeUndefined();
  });

  it('behavior: expired rows are removed, unless an attempt works on them or the chain has to decide', async () => {
    const validBefore = inSeconds(-1);
    const settling = buildNew({ validBefore });
    await ledger.reserve(buildNew({ validBefore }), lease('a', 0));
    await ledger.reserve(buildNew({ validBefore }), lease('a'));
    await ledger.reserve(buildNew(), lease('a', 0));
    await ledger.reserve(settling, lease('a'));
    await ledger.keepResponse(settling, lease('a', 0), response);
    await pause(5);
    expect(await ledger.inFlight()).toEqual({ reserved: 1, settling: 0, lapsed: 3 });
    await ledger.purge();
    expect(await ledger.inFlight()).toEqual({ reserved: 1, settling: 0, lapsed: 2 });
    expect(await lapsedOf(ledger)).toHaveLength(1);
  });

  it('behavior: kept for as long as the signature that took it over is valid', async () => {
    const short = buildNew({ validBefore: inSeconds(-1) });
    await ledger.reserve(short, lease('a', 0));
    await pause(5);
    await ledger.reserve({ ...short, fingerprint: other, validBefore: inSeconds(120) }, lease('b', 0));
    await pause(5);
    await ledger.purge();
    expect(await ledger.inFlight()).toMatchObject({ lapsed: 1 });
  });

  it('behavior: a settling payment without a lease is listed with what finds its transfer', async () => {
    const payment = await keepNew(ledger);
    expect(await lapsedOf(ledger)).toEqual([]);
    await ledger.release(payment, 'a');
    await pause(5);
    const [found] = await lapsedOf(ledger);
    const { chainId, nonce, amount, validBefore } = payment;
    expect(found).toMatchObject({ chainId, nonce, amount, validBefore, owner: 'a' });
    expect(getAddress(found?.payer ?? '0x')).toBe(payment.payer);
    expect(getAddress(found?.payTo ?? '0x')).toBe(payment.payTo);
    // Another attempt took it over, so a sweep changes nothing.
    await ledger.reserve(payment, lease('b'));
    expect(await ledger.settle(payment, 'a', transaction)).toBe(false);
    expect(await ledger.delete(payment, 'a', 'settling')).toBe(false);
  });

  it('behavior: payments without a lease are listed in the order in which they were released', async () => {
    const [first, second] = [buildNew({ validBefore: inSeconds(1) }), buildNew()];
    for (const payment of [first, second]) {
      await ledger.reserve(payment, lease('a'));
      await ledger.keepResponse(payment, lease('a', 0), response);
      await pause(5);
    }
    const listed = async () => (await lapsedOf(ledger)).map(({ nonce }) => nonce);
    expect(await listed()).toEqual([first.nonce, second.nonce]);
    await ledger.release(first, 'a');
    await pause(5);
    expect(await listed()).toEqual([second.nonce, first.nonce]);
  });

  it('behavior: at most a hundred payments of a token are listed, whatever other tokens have', async () => {
    for (let count = 0; count < 102; count++) {
      await keepNew(ledger, { chainId: count === 0 ? 1 : 8453 }, 0);
    }
    await pause(5);
    expect(await lapsedOf(ledger)).toHaveLength(100);
    expect(await ledger.lapsed(1, asset)).toHaveLength(1);
    expect(await ledger.lapsed(1, other.slice(0, 42) as `0x${string}`)).toEqual([]);
  });

  it('behavior: it has a payment for one request, in any state', async () => {
    const payment = buildNew();
    expect(await ledger.has(payment)).toBe(false);
    await ledger.reserve(payment, lease('a'));
    expect(await ledger.has(payment)).toBe(true);
    expect(await ledger.has({ ...payment, fingerprint: other })).toBe(false);
    expect(await ledger.has({ ...payment, nonce: other })).toBe(false);
    await ledger.keepResponse(payment, lease('a'), response);
    await ledger.settle(payment, 'a', transaction);
    expect(await ledger.has(payment)).toBe(true);
  });

  it('behavior: one payer has so many in flight, at once too; settled ones do not count', async () => {
    const limits = { maxInFlightPerPayer: 3 };
    const ledger = ledgers.connect(limits);
    const { payer } = buildNew();
    const payments = Array.from({ length: 20 }, () => buildNew({ payer }));
    const reservations = await Promise.all(
      payments.map((payment) => ledgers.connect(limits).reserve(payment, lease('a'))),
    );
    expect(reservations.filter(({ kind }) => kind === 'owned')).toHaveLength(3);
    expect(
      reservations.filter((reservation) => reservation.kind === 'full' && reservation.of === 'payer'),
    ).toHaveLength(17);
    const [first] = payments.filter((_, index) => reservations[index]?.kind === 'owned');
    if (!first) throw new Error('none was reserved');
    await ledger.keepResponse(first, lease('a'), response);
    await ledger.settle(first, 'a', transaction);
    await expectReserved(buildNew({ payer }), 'a', 'owned', {}, ledger);
    await expectReserved(buildNew(), 'a', 'owned', {}, ledger);
  });

  it('behavior: payments without a lease count towards no limit, until they are taken over', async () => {
    const ledger = ledgers.connect({ maxInFlightPerPayer: 1, maxInFlight: 2 });
    const { payer } = buildNew();
    const settling = buildNew({ payer });
    await ledger.reserve(settling, lease('a'));
    await ledger.keepResponse(settling, lease('a'), response);
    await ledger.release(settling, 'a');
    await pause(5);
    for (let count = 0; count < 4; count++) {
      expect(await ledger.reserve(buildNew({ payer }), lease('a', 0))).toMatchObject({
        kind: 'owned',
      });
      await pause(5);
    }
    await expectReserved(settling, 'b', 'owned', {}, ledger);
    expect(await ledger.reserve(buildNew({ payer }), lease('b'))).toEqual({
      kind: 'full',
      of: 'payer',
    });
  });

  it('behavior: no more in flight than there is room for; one that is known needs none', async () => {
    const ledger = ledgers.connect({ maxInFlight: 1 });
    const known = buildNew();
    await ledger.reserve(known, lease('a'));
    expect(await ledger.reserve(buildNew(), lease('b'))).toEqual({ kind: 'full', of: 'ledger' });
    await expectReserved(known, 'b', 'known', {}, ledger);
  });
});
