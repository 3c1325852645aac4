import { setImmediate } from 'node:timers/promises';
import { UpstreamFailure } from '@yield-vault/chains';
import {
  InternalError,
  PaymentInUseError,
  RateLimitExceededError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { KilledError, killable, testAccount } from '@yield-vault/testing';
import { toHex, type Hex } from 'viem';
import { buildPayments } from '../test/support/build-payments.js';
import { response, buildRequest } from '../test/support/build-request.js';
import {
  expectAnswered,
  expectUnavailable,
  expectUsedUp,
  reasonOf,
  reserve,
} from '../test/support/reserve.js';
import { buildChain } from '../test/support/build-chain.js';
import { createFakeToken } from '../test/support/fake-token.js';
import { decode, signPayment, type PaymentParts } from '../test/support/sign-payment.js';
import { withRpc } from '../test/support/with-rpc.js';
import { createMemoryFreeQuota } from './free-calls.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import type { Payments } from './payments.js';
import type { PaidRequest } from './types.js';

const payer = testAccount('payer');
const ledgers = openLedgers();

/** A request that is paid for. */
async function paidRequest(
  parts: PaymentParts = {},
  request: Partial<PaidRequest> = {},
): Promise<PaidRequest> {
  const { v2 } = await signPayment(payer, buildChain(), parts);
  return buildRequest({ 'PAYMENT-SIGNATURE': v2 }, request);
}

/** Check that another request with the same payment has to wait. */
const expectInUse = (payments: Payments, request: PaidRequest) =>
  expect(payments.begin({ ...request, path: '/other' })).rejects.toBeInstanceOf(PaymentInUseError);

/** A process that sells responses for a token. */
const start = (
  { chain, facilitator }: ReturnType<typeof createFakeToken>,
  parts: Partial<Parameters<typeof buildPayments>[0]> = {},
) => buildPayments({ chains: [chain], facilitator, ledger: ledgers.connect(), ...parts });

/** A token, payments in it and a request that is paid for. */
async function setUp(parts?: Parameters<typeof start>[1]) {
  const token = createFakeToken();
  return { token, payments: start(token, parts), request: await paidRequest() };
}

async function setUpReserved(parts?: Parameters<typeof setUp>[0]) {
  const made = await setUp(parts);
  return { ...made, session: await reserve(made.payments, made.request) };
}

describe('begin', () => {
  it('default: a route without a price is free, with or without a payment', async () => {
    const { payments } = await setUp();
    expect(await payments.begin(await paidRequest({}, { resource: 'status' }))).toEqual({
      kind: 'free',
      reason: 'not-priced',
    });
  });

  it('default: without a payment, the terms', async () => {
    const { token, payments } = await setUp();
    expect(reasonOf(await payments.begin(buildRequest()))).toBe('Payment required');
    expect(token.calls).toEqual({ verify: 0, settle: 0 });
  });

  it('behavior: the allowlist', async () => {
    const { payments } = await setUp({ options: { allowlist: ['key'] } });
    expect(await payments.begin(buildRequest({}, { accessKey: 'key' }))).toEqual({
      kind: 'free',
      reason: 'allowlisted',
    });
    expect((await payments.begin(buildRequest({}, { accessKey: 'another' }))).kind).toBe('required');
  });

  it('behavior: free calls for known callers without a payment', async () => {
    const freeQuota = createMemoryFreeQuota({ calls: 1, windowSeconds: 60 });
    const { payments } = await setUp({ freeQuota });
    const client = '203.0.113.7';
    await reserve(payments, await paidRequest({}, { client }));
    expect(await payments.begin(buildRequest({}, { client }))).toEqual({ kind: 'free', reason: 'free-call' });
    expect((await payments.begin(buildRequest({}, { client }))).kind).toBe('required');
    expect((await payments.begin(buildRequest())).kind).toBe('required');
  });

  it('behavior: a malformed or outdated payment is refused without a request', async () => {
    const { token, payments } = await setUp();
    expect(reasonOf(await payments.begin(buildRequest({ 'X-PAYMENT': 'e30=' })))).toBe('invalid_payload');
    const outdated = await paidRequest({ validBefore: 1n });
    expect(reasonOf(await payments.begin(outdated))).toBe(
      'invalid_exact_evm_payload_authorization_valid_before',
    );
    expect(token.calls).toEqual({ verify: 0, settle: 0 });
  });

  it('behavior: reserved before it is checked', async () => {
    const order: string[] = [];
    const noted = <Port extends object>(port: Port, name: string) =>
      new Proxy(port, {
        get: (target, method) => {
          const call = Reflect.get(target, method) as (...args: unknown[]) => unknown;
          return (...args: unknown[]) => {
            order.push(`${name}.${String(method)}`);
            return call(...args);
          };
        },
      });
    const { chain, facilitator } = createFakeToken();
    const { payments, request } = await setUp({
      chains: [chain],
      ledger: noted(ledgers.connect(), 'ledger'),
      facilitator: noted(facilitator, 'facilitator'),
    });
    await payments.settle(await reserve(payments, request), response);
    expect(order).toEqual([
      'ledger.reserve',
      'facilitator.verify',
      'ledger.keepResponse',
      'facilitator.settle',
      'ledger.settle',
    ]);
  });

  it('behavior: a refused payment is free again', async () => {
    const { token, payments, request } = await setUp();
    const reason = 'invalid_exact_evm_insufficient_balance';
    jest.spyOn(token.facilitator, 'verify').mockResolvedValueOnce(reason);
    expect(reasonOf(await payments.begin(request))).toBe(reason);
    await reserve(payments, { ...request, path: '/another' });
  });

  it('error: the facilitator is down; the payment is free again', async () => {
    const down = new UpstreamUnavailableError({ detail: 'down' });
    const { token, payments, request } = await setUp();
    jest.spyOn(token.facilitator, 'verify').mockRejectedValueOnce(down);
    await expect(payments.begin(request)).rejects.toBe(down);
    await reserve(payments, request);
  });

  it('error: in flight, the same request is unavailable and another one in conflict', async () => {
    const { payments, request } = await setUp();
    await reserve(payments, request);
    const again = payments.begin(request);
    await expectUnavailable(again);
    await expect(again).rejects.toMatchObject({ retryAfterSeconds: 2 });
    for (const change of [{ path: '/v1/yield/other' }, { method: 'PUT' }, { body: Buffer.from('{}') }])
      await expect(payments.begin({ ...request, ...change })).rejects.toBeInstanceOf(PaymentInUseError);
  });

  it.each([
    ['too many of one payer in flight', { maxInFlightPerPayer: 1 }, 1, RateLimitExceededError],
    ['no room in the ledger', { maxInFlight: 0 }, 0, UpstreamUnavailableError],
  ])('error: %s', async (_, limits, reserved, error) => {
    const { payments } = await setUp({ ledger: ledgers.connect(limits) });
    if (reserved > 0) await reserve(payments, await paidRequest());
    await expect(payments.begin(await paidRequest())).rejects.toBeInstanceOf(error);
  });
});

describe('payments that a stranger makes', () => {
  const forge = (parts: PaymentParts = {}, request: Partial<PaidRequest> = {}) =>
    paidRequest({ signature: `0x${'11'.repeat(65)}`, ...parts }, request);
  /** A chain whose node responds to checks of signatures like this. */
  const withWallets = (check: () => Promise<{ readonly data: Hex }>) => {
    const call = jest.fn(check);
    return { call, chains: [withRpc(buildChain(), { call: call as never })] };
  };
  const undecided = () => new Promise<never>(() => undefined);
  const refuses = () => Promise.resolve({ data: '0x' } as const);
  const accepts = () => Promise.resolve({ data: toHex(1, { size: 32 }) });

  it.each([
    ['payer', { maxInFlightPerPayer: 1 }],
    ['ledger', { maxInFlight: 1 }],
  ])('behavior: forged ones take no room of the %s', async (_, limits) => {
    const ledger = ledgers.connect(limits);
    const { payments } = await setUp({ ...withWallets(undecided), ledger });
    for (let count = 0; count < 20; count++) payments.begin(await forge()).catch(() => undefined);
    await setImmediate();
    expect(await ledger.inFlight()).toEqual({ reserved: 0, settling: 0, lapsed: 0 });
    await reserve(payments, await paidRequest());
  });

  it('behavior: a forged one does not hold the nonce of a payment', async () => {
    const { payments } = await setUp(withWallets(undecided));
    const nonce = `0x${'07'.repeat(32)}` as const;
    payments.begin(await forge({ nonce })).catch(() => undefined);
    await setImmediate();
    await reserve(payments, await paidRequest({ nonce }));
  });

  it('behavior: refused ones leave nothing', async () => {
    const ledger = ledgers.connect();
    const reserve = jest.spyOn(ledger, 'reserve');
    const node = withWallets(refuses);
    const { token, payments } = await setUp({ ...node, ledger });
    for (let count = 1; count <= 20; count++)
      expect(reasonOf(await payments.begin(await forge()))).toBe('invalid_exact_evm_signature');
    expect([reserve.mock.calls.length, token.calls.verify, node.call.mock.calls.length]).toEqual([0, 0, 20]);
  });

  it.each([
    ['payer', 4, (index: number) => ({ client: `client ${index}` })],
    ['client', 4, () => ({ client: 'client' })],
    ['process', 16, (index: number) => ({ client: `client ${index}` })],
  ])('error: unavailable when too many of one %s are checked', async (of, most, client) => {
    const node = withWallets(undecided);
    const { payments } = await setUp(node);
    const begin = async (index: number) => {
      const { address } = of === 'payer' ? payer : testAccount(`forged payer ${index}`);
      return payments.begin(await forge({ from: address }, client(index)));
    };
    for (let index = 0; index < most; index++) void begin(index);
    while (node.call.mock.calls.length < most) await setImmediate();
    await expect(begin(most)).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      retryAfterSeconds: 5,
      details: { dependency: 'payments' },
    });
    expect(node.call).toHaveBeenCalledTimes(most);
    await reserve(payments, await paidRequest());
  });

  it('behavior: contracts pay too; one handler runs, and the response is repeated', async () => {
    const { token, payments } = await setUp(withWallets(accepts));
    const request = await forge();
    const session = await reserve(payments, request);
    await expectUnavailable(payments.begin(request));
    await expectInUse(payments, request);
    await payments.settle(session, response);
    await expectAnswered(payments, request);
    expect(token.calls).toEqual({ verify: 1, settle: 1 });
  });

  it('error: unavailable when the node cannot check the signature of a contract', async () => {
    const down = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));
    const { payments } = await setUp(withWallets(down));
    await expect(payments.begin(await forge())).rejects.toMatchObject({
      details: { dependency: 'rpc:base' },
    });
    await reserve(payments, await paidRequest());
  });

  it('behavior: a stored response is repeated after its authorization expired', async () => {
    let nowMs = Date.now();
    const { token, payments, request } = await setUp({ now: () => nowMs });
    await payments.settle(await reserve(payments, request), response);
    nowMs += 300_000;
    await expectAnswered(payments, request);
    expect(reasonOf(await payments.begin({ ...request, path: '/other' }))).toBe(
      'invalid_exact_evm_payload_authorization_valid_before',
    );
    expect(token.paid()).toBe(1);
  });

  it.each([
    ['expired, as its signature is public', { validBefore: 1n }],
    ['valid for years', { validBefore: 4_000_000_000n }],
    ['not valid yet', { validAfter: 4_000_000_000n }],
  ])('behavior: a signature of the payer that is %s reserves nothing', async (_, parts) => {
    const ledger = ledgers.connect();
    const reserve = jest.spyOn(ledger, 'reserve');
    const { token, payments } = await setUp({ ledger });
    expect((await payments.begin(await paidRequest(parts))).kind).toBe('required');
    expect([reserve.mock.calls.length, token.calls.verify]).toEqual([0, 0]);
  });

  it('behavior: a payment that a stranger repeats for other requests still buys its own, and one slot', async () => {
    const ledger = ledgers.connect({ maxInFlightPerPayer: 2 });
    const { token, payments, request, session } = await setUpReserved({ ledger });
    for (let count = 0; count < 20; count++)
      await expect(payments.begin({ ...request, path: `/${count}` })).rejects.toBeInstanceOf(
        PaymentInUseError,
      );
    await reserve(payments, await paidRequest());
    expect(await payments.settle(session, response)).toMatchObject({ kind: 'settled' });
    expect(token.paid()).toBe(1);
  });
});

describe('settle', () => {
  it('default: the response is paid for, and returned again', async () => {
    const { token, payments, request } = await setUp();
    const settled = await payments.settle(await reserve(payments, request), response);
    if (settled.kind !== 'settled') throw new Error('not settled');
    expect(decode(settled.headers['PAYMENT-RESPONSE'])).toMatchObject({ success: true });
    expect(await payments.begin(request)).toEqual({
      kind: 'answered',
      response,
      headers: settled.headers,
    });
    await expectUsedUp(payments, request);
    expect(token.paid()).toBe(1);
  });

  it('behavior: refused after the response was made; the payment is free again', async () => {
    const { token, payments, request } = await setUp();
    token.setMode('refuse');
    const refused = await payments.settle(await reserve(payments, request), response);
    if (refused.kind !== 'required') throw new Error('not refused');
    expect(decode(refused.challenge.headers['PAYMENT-RESPONSE'])).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_insufficient_balance',
    });
    token.setMode('pay');
    await payments.settle(await reserve(payments, request), response);
    expect(token.paid()).toBe(1);
  });

  it.each(['pay and time out', 'time out'] as const)(
    'behavior: facilitators that %s charge once, and the response is not made again',
    async (mode) => {
      const { token, payments, request } = await setUp();
      const session = await reserve(payments, request);
      token.setMode(mode);
      const first = payments.settle(session, response);
      if (mode === 'time out') await expectUnavailable(first);
      else expect(await first).toMatchObject({ kind: 'settled' });
      // Too late: it is kept.
      await payments.cancel(session);
      token.setMode('pay');
      await expectAnswered(start(token), request);
      expect(token.paid()).toBe(1);
    },
  );

  it('behavior: a transfer on its way is waited for, whatever is said of it meanwhile', async () => {
    const { token, payments, request, session } = await setUpReserved();
    token.setMode('hold');
    await expectUnavailable(payments.settle(session, response));
    // A refusal now is no proof that the first transfer will not be mined.
    token.setMode('refuse');
    await expectUnavailable(payments.begin(request));
    await expectInUse(payments, request);
    token.mineHeld();
    await expectAnswered(payments, request);
    expect(token.paid()).toBe(1);
  });

  it('behavior: a transfer that was never mined is given up when its time is over', async () => {
    const { token, payments, request } = await setUp();
    token.setMode('time out');
    await expectUnavailable(payments.settle(await reserve(payments, request), response));
    token.setTime(BigInt(Math.floor(Date.now() / 1000) + 121));
    expect(reasonOf(await payments.begin(request))).toBe(
      'invalid_exact_evm_payload_authorization_valid_before',
    );
    expect(token.paid()).toBe(0);
  });

  it('behavior: an authorization that somebody executed while the response was made has paid', async () => {
    const { token, payments, request, session } = await setUpReserved();
    token.pay(session.payment);
    await payments.settle(session, response);
    await expectAnswered(payments, request);
    await expectUsedUp(payments, request);
    expect(token.paid()).toBe(1);
  });

  it('attack: a nonce that was spent on another recipient has not paid', async () => {
    const { token, payments, session } = await setUpReserved();
    const { authorization } = session.payment;
    const to = testAccount('stranger').address;
    token.pay({ ...session.payment, authorization: { ...authorization, to } });
    const refused = await payments.settle(session, response);
    expect(reasonOf(refused)).toBe('invalid_exact_evm_nonce_already_used');
  });

  it.each([
    ['shows no event of', { getLogs: () => Promise.resolve([]) as never }],
    ['knows nothing of', { readContract: () => Promise.resolve(false) as never }],
  ])('error: a node that %s a use; the response is sold for that transfer later', async (_, rpc) => {
    const token = createFakeToken();
    const payments = start(token, { chains: [withRpc(token.chain, rpc)] });
    const request = await paidRequest();
    const session = await reserve(payments, request);
    token.pay(session.payment);
    await expectUnavailable(payments.settle(session, response));
    await expectAnswered(start(token), request);
    expect(token.paid()).toBe(1);
  });

  it('behavior: a settled response is repeated for ten minutes, then the payment is used up', async () => {
    const { token, payments, request } = await setUp();
    await payments.settle(await reserve(payments, request), response);
    await ledgers.age(599);
    await expectAnswered(payments, request);
    await ledgers.age(2);
    expect(reasonOf(await payments.begin(request))).toBe('payment_already_used');
    expect(token.paid()).toBe(1);
  });

  it('behavior: one that was cancelled buys nothing, before and after the response was made', async () => {
    const { token, payments, request, session } = await setUpReserved();
    token.cancel(session.payment);
    expect(reasonOf(await payments.settle(session, response))).toBe('invalid_exact_evm_nonce_already_used');
    expect(reasonOf(await payments.begin(request))).toBe('invalid_exact_evm_nonce_already_used');
  });

  it('error: a response that was made too late', async () => {
    const { token, payments, request } = await setUp();
    const slow = await reserve(payments, request);
    await ledgers.age(181);
    const next = await reserve(payments, { ...request, path: '/other' });
    await expectUnavailable(payments.settle(slow, response));
    await payments.cancel(slow);
    expect(await payments.settle(next, response)).toMatchObject({ kind: 'settled' });
    expect(token.paid()).toBe(1);
  });

  it('error: a ledger that is down: nothing is charged that could be lost', async () => {
    const down = new UpstreamUnavailableError({ detail: 'down' });
    const ledger = { ...ledgers.connect(), keepResponse: () => Promise.reject(down) };
    const { token, payments, session } = await setUpReserved({ ledger });
    await expect(payments.settle(session, response)).rejects.toBe(down);
    expect(token.calls.settle).toBe(0);
    const closed = await setUp({
      ledger: { ...ledgers.connect(), reserve: () => Promise.reject(down) },
    });
    await expect(closed.payments.begin(closed.request)).rejects.toBe(down);
    expect(reasonOf(await closed.payments.begin(buildRequest()))).toBe('Payment required');
  });

  it('behavior: a ledger that is down after the charge: the response is returned, and returned again', async () => {
    const failing = { ...ledgers.connect(), settle: () => Promise.reject(new Error('down')) };
    const { token, payments, request } = await setUp({ ledger: failing });
    expect(await payments.settle(await reserve(payments, request), response)).toMatchObject({
      kind: 'settled',
    });
    await ledgers.age(61);
    await expectAnswered(payments, request);
    expect(token.paid()).toBe(1);
  });

  it('error: a response that is too large; nothing is charged', async () => {
    const { token, payments, request } = await setUp({ options: { maxResponseBytes: 4 } });
    await expect(payments.settle(await reserve(payments, request), response)).rejects.toBeInstanceOf(
      InternalError,
    );
    expect(token.calls.settle).toBe(0);
    await reserve(payments, request);
  });
});

describe('cancel', () => {
  it('default: not charged, and good for another request', async () => {
    const { token, payments, request } = await setUp();
    await payments.cancel(await reserve(payments, request));
    await payments.settle(await reserve(payments, { ...request, path: '/other' }), response);
    expect(token.paid()).toBe(1);
  });

  it('behavior: never fails', async () => {
    const ledger = { ...ledgers.connect(), delete: () => Promise.reject(new Error('down')) };
    const { payments, request } = await setUp({ ledger });
    expect(await payments.cancel(await reserve(payments, request))).toBeUndefined();
  });
});

describe('a process that is killed', () => {
  /** Send, and send again in a new process for as long as the outcome is not known, as payers do. */
  async function send(payments: Payments, request: PaidRequest, onRun: () => void): Promise<string> {
    const result = await payments.begin(request);
    if (result.kind !== 'reserved') return result.kind;
    onRun();
    return (await payments.settle(result.session, response)).kind;
  }

  const moments = (['before', 'after'] as const).flatMap((moment) =>
    [0, 1, 2, 3, 4, 5].map((step) => [moment, step] as const),
  );

  it.each(moments)('behavior: %s its step %d charges once and loses no response', async (moment, step) => {
    const token = createFakeToken();
    const request = await paidRequest();
    const life = { left: step, dead: false };
    let runs = 0;
    const first = start(token, {
      ledger: killable(ledgers.connect(), life, moment),
      facilitator: killable(token.facilitator, life, moment),
    });
    await send(first, request, () => runs++).catch((error: unknown) => {
      if (!(error instanceof KilledError)) throw error;
    });
    const wasCharged = token.paid() > 0;
    // Its leases run out.
    await ledgers.age(200);
    const next = start(token);
    const kind = await send(next, request, () => runs++);
    expect(['answered', 'settled']).toContain(kind);
    expect(token.paid()).toBe(1);
    // A paid response is not made again.
    if (wasCharged) expect(runs).toBe(1);
    await expectAnswered(next, request);
  });
});
