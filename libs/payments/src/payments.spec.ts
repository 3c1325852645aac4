import {
  InternalError,
  PaymentInUseError,
  RateLimitExceededError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { KilledError, mortal, testAccount } from '@yield-vault/testing';
import { buildFacilitator, buildPayments } from '../test/support/build-payments.js';
import { answer, buildRequest } from '../test/support/build-request.js';
import { reserve } from '../test/support/reserve.js';
import { buildChain } from '../test/support/build-chain.js';
import { createFakeToken } from '../test/support/fake-token.js';
import { decode, signPayment, type PaymentParts } from '../test/support/sign-payment.js';
import { createMemoryFreeQuota } from './adapters/memory-free-quota.js';
import { createMemoryPaymentLedger } from './adapters/memory-payment-ledger.js';
import type { Payments } from './payments.js';
import type { PaidRequest, PaymentChallenge, PaymentVerdict } from './types.js';

const payer = testAccount('payer');
const chains = [buildChain()];

/** A request that is paid for. */
async function paidRequest(
  parts: PaymentParts = {},
  request: Partial<PaidRequest> = {},
): Promise<PaidRequest> {
  const { v2 } = await signPayment(payer, buildChain(), parts);
  return buildRequest({ 'PAYMENT-SIGNATURE': v2 }, request);
}

function reasonOf(
  verdict: PaymentVerdict | { kind: 'required'; challenge: PaymentChallenge } | { kind: 'settled' },
) {
  if (verdict.kind !== 'required') return verdict.kind;
  return decode(verdict.challenge.headers['PAYMENT-REQUIRED']).error;
}

describe('begin', () => {
  it('default: what has no price is free, whatever is attached', async () => {
    const payments = buildPayments({ chains, ...buildFacilitator() });
    await expect(payments.begin(await paidRequest({}, { resource: 'status' }))).resolves.toEqual({
      kind: 'free',
      reason: 'not-priced',
    });
  });

  it('default: without a payment, the terms', async () => {
    const { facilitator, calls } = buildFacilitator();
    const payments = buildPayments({ chains, facilitator });
    expect(reasonOf(await payments.begin(buildRequest()))).toBe('Payment required');
    expect(calls).toEqual({ verify: 0, settle: 0 });
  });

  it('behavior: the allowlist', async () => {
    const payments = buildPayments({ chains, ...buildFacilitator(), options: { allowlist: ['key'] } });
    await expect(payments.begin(buildRequest({}, { accessKey: 'key' }))).resolves.toEqual({
      kind: 'free',
      reason: 'allowlisted',
    });
    expect((await payments.begin(buildRequest({}, { accessKey: 'another' }))).kind).toBe('required');
  });

  it('behavior: free calls, for those who attach no payment and are known', async () => {
    const freeQuota = createMemoryFreeQuota({ calls: 1, windowSeconds: 60 });
    const payments = buildPayments({ chains, ...buildFacilitator(), freeQuota });
    const client = '203.0.113.7';
    expect((await payments.begin(await paidRequest({}, { client }))).kind).toBe('reserved');
    expect(await payments.begin(buildRequest({}, { client }))).toEqual({ kind: 'free', reason: 'free-call' });
    expect((await payments.begin(buildRequest({}, { client }))).kind).toBe('required');
    expect((await payments.begin(buildRequest())).kind).toBe('required');
  });

  it('behavior: nobody is asked about what is malformed or outdated', async () => {
    const { facilitator, calls } = buildFacilitator();
    const payments = buildPayments({ chains, facilitator });
    expect(reasonOf(await payments.begin(buildRequest({ 'X-PAYMENT': 'e30=' })))).toBe('invalid_payload');
    const outdated = await paidRequest({ validBefore: 1n });
    expect(reasonOf(await payments.begin(outdated))).toBe(
      'invalid_exact_evm_payload_authorization_valid_before',
    );
    expect(calls).toEqual({ verify: 0, settle: 0 });
  });

  it('behavior: reserved before it is checked', async () => {
    const ledger = createMemoryPaymentLedger();
    const order: string[] = [];
    const payments = buildPayments({
      chains,
      ledger: {
        ...ledger,
        claim: (...args) => {
          order.push('claim');
          return ledger.claim(...args);
        },
        keepAnswer: (...args) => {
          order.push('keep the answer');
          return ledger.keepAnswer(...args);
        },
      },
      ...buildFacilitator({
        verify: () => {
          order.push('verify');
          return Promise.resolve(undefined);
        },
        settle: () => {
          order.push('settle');
          return Promise.resolve({ kind: 'settled', transaction: '0x01' });
        },
      }),
    });
    await payments.settle(await reserve(payments, await paidRequest()), answer);
    expect(order).toEqual(['claim', 'verify', 'keep the answer', 'settle']);
  });

  it('behavior: a refused payment is free again', async () => {
    const { facilitator } = buildFacilitator({
      verify: () => Promise.resolve('invalid_exact_evm_insufficient_balance'),
    });
    const ledger = createMemoryPaymentLedger();
    const request = await paidRequest();
    expect(reasonOf(await buildPayments({ chains, facilitator, ledger }).begin(request))).toBe(
      'invalid_exact_evm_insufficient_balance',
    );
    const other = buildPayments({ chains, ...buildFacilitator(), ledger });
    expect((await other.begin({ ...request, path: '/another' })).kind).toBe('reserved');
  });

  it('error: the facilitator is down; the payment is free again', async () => {
    const down = new UpstreamUnavailableError({ detail: 'down' });
    let isDown = true;
    const { facilitator } = buildFacilitator({
      verify: () => (isDown ? Promise.reject(down) : Promise.resolve(undefined)),
    });
    const payments = buildPayments({ chains, facilitator });
    const request = await paidRequest();
    await expect(payments.begin(request)).rejects.toBe(down);
    isDown = false;
    expect((await payments.begin(request)).kind).toBe('reserved');
  });

  it('error: in flight, the same request is unavailable and another one in conflict', async () => {
    const payments = buildPayments({ chains, ...buildFacilitator() });
    const request = await paidRequest();
    await reserve(payments, request);
    const again = payments.begin(request);
    await expect(again).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await expect(again).rejects.toMatchObject({ retryAfterSeconds: 2 });
    await expect(payments.begin({ ...request, path: '/v1/yield/other' })).rejects.toBeInstanceOf(
      PaymentInUseError,
    );
    await expect(payments.begin({ ...request, method: 'PUT' })).rejects.toBeInstanceOf(PaymentInUseError);
    await expect(payments.begin({ ...request, body: Buffer.from('{}') })).rejects.toBeInstanceOf(
      PaymentInUseError,
    );
  });

  it('error: too many of one payer in flight', async () => {
    const payments = buildPayments({
      chains,
      ...buildFacilitator(),
      ledger: createMemoryPaymentLedger({ maxInFlightPerPayer: 1 }),
    });
    await reserve(payments, await paidRequest());
    await expect(payments.begin(await paidRequest())).rejects.toBeInstanceOf(RateLimitExceededError);
  });

  it('error: no room in the ledger', async () => {
    const payments = buildPayments({
      chains,
      ...buildFacilitator(),
      ledger: createMemoryPaymentLedger({ maxEntries: 0 }),
    });
    await expect(payments.begin(await paidRequest())).rejects.toBeInstanceOf(UpstreamUnavailableError);
  });

  it('behavior: what expired is removed now and then', async () => {
    let nowMs = Date.now();
    const ledger = createMemoryPaymentLedger({}, () => nowMs);
    let purges = 0;
    const counted = { ...ledger, purge: () => (purges++, ledger.purge()) };
    const payments = buildPayments({ chains, ...buildFacilitator(), ledger: counted, now: () => nowMs });
    await payments.begin(await paidRequest());
    nowMs += 61_000;
    await payments.begin(await paidRequest());
    await payments.begin(await paidRequest());
    expect(purges).toBe(1);
  });
});

describe('settle', () => {
  it('default: the answer is paid for, and given again', async () => {
    const token = createFakeToken();
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator });
    const request = await paidRequest();
    const settled = await payments.settle(await reserve(payments, request), answer);
    if (settled.kind !== 'settled') throw new Error('not settled');
    expect(decode(settled.headers['PAYMENT-RESPONSE'])).toMatchObject({ success: true });
    await expect(payments.begin(request)).resolves.toEqual({
      kind: 'answered',
      answer,
      headers: settled.headers,
    });
    expect(reasonOf(await payments.begin({ ...request, path: '/other' }))).toBe('payment_already_used');
    expect(token.paid()).toBe(1);
  });

  it('behavior: refused after the answer was made; the payment is free again', async () => {
    const token = createFakeToken();
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator });
    const request = await paidRequest();
    token.setMode('refuse');
    const refused = await payments.settle(await reserve(payments, request), answer);
    if (refused.kind !== 'required') throw new Error('not refused');
    expect(decode(refused.challenge.headers['PAYMENT-RESPONSE'])).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_insufficient_balance',
    });
    token.setMode('pay');
    await payments.settle(await reserve(payments, request), answer);
    expect(token.paid()).toBe(1);
  });

  it.each(['pay and time out', 'time out'] as const)(
    'behavior: facilitators that %s charge once, and the answer is not made again',
    async (mode) => {
      const token = createFakeToken();
      const ledger = createMemoryPaymentLedger();
      const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator, ledger });
      const request = await paidRequest();
      const session = await reserve(payments, request);
      token.setMode(mode);
      const first = payments.settle(session, answer);
      if (mode === 'time out') await expect(first).rejects.toBeInstanceOf(UpstreamUnavailableError);
      else await expect(first).resolves.toMatchObject({ kind: 'settled' });
      // Too late: it is kept.
      await payments.cancel(session);
      token.setMode('pay');
      const restarted = buildPayments({ chains: [token.chain], facilitator: token.facilitator, ledger });
      await expect(restarted.begin(request)).resolves.toMatchObject({ kind: 'answered', answer });
      expect(token.paid()).toBe(1);
    },
  );

  it('behavior: a transfer on its way is waited for, whatever is said of it meanwhile', async () => {
    const token = createFakeToken();
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator });
    const request = await paidRequest();
    const session = await reserve(payments, request);
    token.setMode('hold');
    await expect(payments.settle(session, answer)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    // A refusal now is no proof that the first transfer will not be mined.
    token.setMode('refuse');
    await expect(payments.begin(request)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await expect(payments.begin({ ...request, path: '/other' })).rejects.toBeInstanceOf(PaymentInUseError);
    token.mineHeld();
    await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered', answer });
    expect(token.paid()).toBe(1);
  });

  it('behavior: a transfer that was never mined is given up when its time is over', async () => {
    const token = createFakeToken();
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator });
    const request = await paidRequest();
    token.setMode('time out');
    await expect(payments.settle(await reserve(payments, request), answer)).rejects.toBeInstanceOf(
      UpstreamUnavailableError,
    );
    token.setTime(BigInt(Math.floor(Date.now() / 1000) + 121));
    expect(reasonOf(await payments.begin(request))).toBe(
      'invalid_exact_evm_payload_authorization_valid_before',
    );
    expect(token.paid()).toBe(0);
  });

  it('behavior: an authorization that somebody carried out early has paid', async () => {
    const token = createFakeToken();
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator });
    const request = await paidRequest();
    const early = await reserve(payments, request);
    await payments.cancel(early);
    token.pay(early.payment);
    await payments.settle(await reserve(payments, request), answer);
    await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered' });
    expect(reasonOf(await payments.begin({ ...request, path: '/other' }))).toBe('payment_already_used');
    expect(token.paid()).toBe(1);
  });

  it.each([
    ['shows no event of', { getLogs: () => Promise.resolve([]) }],
    ['knows nothing of', { readContract: () => Promise.resolve(false) }],
  ])(
    'error: a node that %s a use; nobody is asked to pay anew, and the payment is free again',
    async (_, rpc) => {
      const token = createFakeToken();
      const behind = { ...token.chain, rpc: { ...token.chain.rpc, ...rpc } as never };
      const ledger = createMemoryPaymentLedger();
      const payments = buildPayments({ chains: [behind], facilitator: token.facilitator, ledger });
      const request = await paidRequest();
      const early = await reserve(payments, request);
      await payments.cancel(early);
      token.pay(early.payment);
      await expect(payments.begin(request)).rejects.toBeInstanceOf(UpstreamUnavailableError);
      const caughtUp = buildPayments({ chains: [token.chain], facilitator: token.facilitator, ledger });
      await caughtUp.settle(await reserve(caughtUp, request), answer);
      expect(token.paid()).toBe(1);
    },
  );

  it('behavior: one that was cancelled buys nothing, before and after the answer was made', async () => {
    const token = createFakeToken();
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator });
    const request = await paidRequest();
    const session = await reserve(payments, request);
    token.cancel(session.payment);
    expect(reasonOf(await payments.settle(session, answer))).toBe('invalid_exact_evm_nonce_already_used');
    expect(reasonOf(await payments.begin(request))).toBe('invalid_exact_evm_nonce_already_used');
  });

  it('error: an answer that was made too late', async () => {
    let nowMs = Date.now();
    const token = createFakeToken();
    const payments = buildPayments({
      chains: [token.chain],
      facilitator: token.facilitator,
      ledger: createMemoryPaymentLedger({}, () => nowMs),
    });
    const request = await paidRequest();
    const slow = await reserve(payments, request);
    nowMs += 181_000;
    const next = await reserve(payments, { ...request, path: '/other' });
    await expect(payments.settle(slow, answer)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await payments.cancel(slow);
    await expect(payments.settle(next, answer)).resolves.toMatchObject({ kind: 'settled' });
    expect(token.paid()).toBe(1);
  });

  it('error: a ledger that is down: nothing is charged that could be lost', async () => {
    const token = createFakeToken();
    const down = new UpstreamUnavailableError({ detail: 'down' });
    const ledger = { ...createMemoryPaymentLedger(), keepAnswer: () => Promise.reject(down) };
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator, ledger });
    const session = await reserve(payments, await paidRequest());
    await expect(payments.settle(session, answer)).rejects.toBe(down);
    expect(token.calls.settle).toBe(0);
    const closed = { ...createMemoryPaymentLedger(), claim: () => Promise.reject(down) };
    const other = buildPayments({ chains: [token.chain], facilitator: token.facilitator, ledger: closed });
    await expect(other.begin(await paidRequest())).rejects.toBe(down);
  });

  it('behavior: a ledger that is down after the charge: the answer is given, and given again', async () => {
    let nowMs = Date.now();
    const token = createFakeToken();
    const ledger = createMemoryPaymentLedger({}, () => nowMs);
    const failing = { ...ledger, settle: () => Promise.reject(new Error('down')) };
    const payments = buildPayments({
      chains: [token.chain],
      facilitator: token.facilitator,
      ledger: failing,
    });
    const request = await paidRequest();
    await expect(payments.settle(await reserve(payments, request), answer)).resolves.toMatchObject({
      kind: 'settled',
    });
    nowMs += 61_000;
    await expect(payments.begin(request)).resolves.toMatchObject({ kind: 'answered', answer });
    expect(token.paid()).toBe(1);
  });

  it('error: an answer that is too large; nothing is charged', async () => {
    const token = createFakeToken();
    const options = { maxAnswerBytes: 4 };
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator, options });
    const request = await paidRequest();
    await expect(payments.settle(await reserve(payments, request), answer)).rejects.toBeInstanceOf(
      InternalError,
    );
    expect(token.calls.settle).toBe(0);
    expect((await payments.begin(request)).kind).toBe('reserved');
  });
});

describe('cancel', () => {
  it('default: not charged, and good for another request', async () => {
    const token = createFakeToken();
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator });
    const request = await paidRequest();
    await payments.cancel(await reserve(payments, request));
    await payments.settle(await reserve(payments, { ...request, path: '/other' }), answer);
    expect(token.paid()).toBe(1);
  });

  it('behavior: never fails', async () => {
    const ledger = { ...createMemoryPaymentLedger(), forget: () => Promise.reject(new Error('down')) };
    const payments = buildPayments({ chains, ...buildFacilitator(), ledger });
    await expect(payments.cancel(await reserve(payments, await paidRequest()))).resolves.toBeUndefined();
  });
});

describe('a process that is killed', () => {
  /** Ask, and ask again in a new process for as long as the outcome is not known, as payers do. */
  async function ask(payments: Payments, request: PaidRequest, onRun: () => void): Promise<string> {
    const verdict = await payments.begin(request);
    if (verdict.kind !== 'reserved') return verdict.kind;
    onRun();
    return (await payments.settle(verdict.session, answer)).kind;
  }

  const moments = (['before', 'after'] as const).flatMap((moment) =>
    [0, 1, 2, 3, 4, 5].map((step) => [moment, step] as const),
  );

  it.each(moments)('behavior: %s its step %d charges once and loses no answer', async (moment, step) => {
    let nowMs = Date.now();
    const token = createFakeToken();
    const ledger = createMemoryPaymentLedger({}, () => nowMs);
    const request = await paidRequest();
    const life = { left: step, dead: false };
    let runs = 0;
    const first = buildPayments({
      chains: [token.chain],
      ledger: mortal(ledger, life, moment),
      facilitator: mortal(token.facilitator, life, moment),
    });
    await ask(first, request, () => runs++).catch((error: unknown) => {
      if (!(error instanceof KilledError)) throw error;
    });
    const wasCharged = token.paid() > 0;
    // Its leases run out.
    nowMs += 200_000;
    const next = buildPayments({ chains: [token.chain], ledger, facilitator: token.facilitator });
    const kind = await ask(next, request, () => runs++);
    expect(['answered', 'settled']).toContain(kind);
    expect(token.paid()).toBe(1);
    // What was charged for is not made again.
    if (wasCharged) expect(runs).toBe(1);
    await expect(next.begin(request)).resolves.toMatchObject({ kind: 'answered', answer });
  });
});
