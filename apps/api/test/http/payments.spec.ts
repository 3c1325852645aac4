import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UpstreamUnavailableError, VaultAtCapacityError, type PrepareResponse } from '@yield-vault/protocol';
import type { Facilitator } from '@yield-vault/payments';
import type { FeatureOverrides } from '../support/fake-features.js';
import { buildPaymentHeader, buildPayments, paymentsOn } from '../support/build-payments.js';
import { buildDeposit } from '../support/build-requests.js';
import { buildSetupResponse } from '../support/build-responses.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

const path = '/v1/yield/prepare';
const body = buildDeposit();
let server: TestServer | undefined;
afterEach(() => server?.close());

async function start(parts: Partial<Facilitator> = {}, features: FeatureOverrides = {}) {
  const { payments, settled } = await buildPayments({ facilitator: parts });
  server = await startServer({
    settings: { payments: paymentsOn },
    features: { payments, ...features },
  });
  const pay = (header: string, what: unknown = body, where = path) =>
    server!.post(where, what, { 'payment-signature': header });
  return { server, settled, pay };
}

const decode = (header: unknown) =>
  JSON.parse(Buffer.from(String(header), 'base64').toString()) as Record<string, unknown>;

describe('payments', () => {
  it('default: without a payment 402 in both protocols, and nothing is done', async () => {
    const { server } = await start();
    const response = await server.post(path, body);
    expect(response.statusCode).toBe(402);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': response.json<{ requestId: string }>().requestId,
    });
    expect(response.json()).toMatchObject({
      x402Version: 1,
      error: 'Payment required',
      code: 'PAYMENT_REQUIRED',
      accepts: [{ network: 'base', maxAmountRequired: '10000', resource: `https://api.example${path}` }],
    });
    expect(decode(response.headers['payment-required'])).toMatchObject({
      x402Version: 2,
      accepts: [{ network: 'eip155:8453', amount: '10000' }],
    });
    expect(server.calls.prepare).toEqual([]);
  });

  it('behavior: a paid request is answered, charged and carries its receipt', async () => {
    const { pay, settled } = await start();
    const response = await pay(buildPaymentHeader());
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ needsSetup: true });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
    });
    expect(decode(response.headers['payment-response'])).toMatchObject({ success: true });
    expect(settled).toHaveLength(1);
  });

  describe.each([
    [1, 'base'],
    [2, 'eip155:8453'],
  ] as const)('a payment of version %d in X-PAYMENT', (version, network) => {
    it('default: is answered and charged; X-PAYMENT-RESPONSE has the receipt, then and again', async () => {
      const { server, settled } = await start();
      const header = { 'x-payment': buildPaymentHeader(version) };
      const [first, second] = [await server.post(path, body, header), await server.post(path, body, header)];
      expect(first.json()).toMatchObject({ needsSetup: true });
      expect([second.statusCode, second.body]).toEqual([200, first.body]);
      for (const { headers } of [first, second]) {
        expect(decode(headers['x-payment-response'])).toEqual({
          success: true,
          transaction: settled[0],
          network,
          payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        });
        expect(headers['payment-response']).toBeUndefined();
      }
      expect(settled).toHaveLength(1);
    });

    it('behavior: a payment refused at settlement gets its reason in the response', async () => {
      const settle = () => Promise.resolve({ kind: 'refused', reason: 'insufficient_funds' } as const);
      const { server } = await start({ settle });
      const response = await server.post(path, body, { 'x-payment': buildPaymentHeader(version) });
      expect(response.statusCode).toBe(402);
      expect(decode(response.headers['x-payment-response'])).toMatchObject({
        success: false,
        errorReason: 'insufficient_funds',
        network,
      });
    });
  });

  it('behavior: a handler that outlives the deadline is not charged, and frees the payment', async () => {
    const { payments, settled } = await buildPayments();
    let finish: (response: PrepareResponse) => void = () => undefined;
    const slow = new Promise<PrepareResponse>((resolve) => (finish = resolve));
    const { server: settings } = buildSettings();
    server = await startServer({
      settings: { payments: paymentsOn, server: { ...settings, requestTimeoutSeconds: 0.3 } },
      features: { payments, intents: { prepare: () => slow } },
    });
    const headers = { 'payment-signature': buildPaymentHeader() };
    expectError(await server.post(path, body, headers), 503, 'UPSTREAM_UNAVAILABLE');
    finish(buildSetupResponse());
    let response = await server.post(path, body, headers);
    while (response.statusCode === 503) response = await server.post(path, body, headers);
    expect([response.statusCode, settled.length]).toEqual([200, 1]);
  });

  it('behavior: the same payment for the same request brings the same bytes, uncharged', async () => {
    const { pay, server, settled } = await start();
    const header = buildPaymentHeader();
    const first = await pay(header);
    const second = await pay(header);
    expect([second.statusCode, second.body]).toEqual([200, first.body]);
    expect(second.headers['payment-response']).toBe(first.headers['payment-response']);
    expect([settled.length, server.calls.prepare.length]).toEqual([1, 1]);
  });

  it('behavior: discover too, whose response is made as text', async () => {
    const { pay, settled } = await start();
    const response = await pay(buildPaymentHeader(), {}, '/v1/yield/discover');
    expect([response.statusCode, response.json<{ count: number }>().count]).toEqual([200, 1]);
    expect(settled).toHaveLength(1);
  });

  it('behavior: another request with a used payment receives 402', async () => {
    const { pay } = await start();
    const header = buildPaymentHeader();
    await pay(header);
    for (const response of [
      await pay(header, buildDeposit({ amount: '2' })),
      await pay(header, {}, '/v1/yield/discover'),
    ])
      expect(response.statusCode).toBe(402);
  });

  it('behavior: in flight the same request is to wait, another one is refused', async () => {
    let finish: () => void = () => undefined;
    const prepare = () =>
      new Promise<ReturnType<typeof buildSetupResponse>>(
        (resolve) => (finish = () => resolve(buildSetupResponse())),
      );
    const { pay, settled } = await start({}, { intents: { prepare } });
    const header = buildPaymentHeader();
    const running = pay(header);
    await sleep(50);
    const again = await pay(header);
    expectError(again, 503, 'UPSTREAM_UNAVAILABLE');
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(0);
    expectError(await pay(header, buildDeposit({ amount: '2' })), 409, 'PAYMENT_IN_USE');
    finish();
    expect((await running).statusCode).toBe(200);
    expect(settled).toHaveLength(1);
  });

  it.each([
    ['a body that breaks a rule', { ...body, amount: 'much' }, 'INVALID_PARAMETERS'],
    ['a request that cannot be done', body, 'VAULT_AT_CAPACITY'],
  ])('behavior: %s is not charged, and the payment can be used again', async (_, what, code) => {
    let isFull = true;
    const prepare = () =>
      isFull
        ? Promise.reject(new VaultAtCapacityError({ detail: 'full', details: {} }))
        : Promise.resolve(buildSetupResponse());
    const { pay, settled } = await start({}, { intents: { prepare } });
    const header = buildPaymentHeader();
    expectError(await pay(header, what), 400, code as 'INVALID_PARAMETERS');
    expect(settled).toEqual([]);
    isFull = false;
    expect((await pay(header)).statusCode).toBe(200);
    expect(settled).toHaveLength(1);
  });

  it('error: an unreadable body costs nothing, with or without a payment', async () => {
    const { server, settled } = await start();
    const header = buildPaymentHeader();
    const headers = { 'content-type': 'application/json', 'payment-signature': header };
    const response = await server.app.inject({ method: 'POST', url: path, headers, payload: '{"amount":' });
    expectError(response, 400, 'INVALID_PARAMETERS');
    expect(settled).toEqual([]);
    expect((await server.post(path, body, { 'payment-signature': header })).statusCode).toBe(200);
  });

  it('error: UpstreamUnavailableError while the ledger is down, for paying callers only', async () => {
    const down = () =>
      Promise.reject(new UpstreamUnavailableError({ detail: 'down', details: { dependency: 'database' } }));
    const { payments, settled } = await buildPayments({ ledger: { claim: down } });
    server = await startServer({ settings: { payments: paymentsOn }, features: { payments } });
    const paid = await server.post(path, body, { 'payment-signature': buildPaymentHeader() });
    expectError(paid, 503, 'UPSTREAM_UNAVAILABLE');
    expect(Number(paid.headers['retry-after'])).toBeGreaterThan(0);
    expect((await server.post(path, body)).statusCode).toBe(402);
    expect([settled.length, server.calls.prepare.length]).toEqual([0, 0]);
  });

  it('behavior: a response whose payment is refused in the end is withheld', async () => {
    const settle = () => Promise.resolve({ kind: 'refused', reason: 'insufficient_funds' } as const);
    const { pay } = await start({ settle });
    const response = await pay(buildPaymentHeader());
    expect(response.statusCode).toBe(402);
    expect(response.body).not.toContain('setupTicket');
    expect(decode(response.headers['payment-response'])).toMatchObject({ success: false });
  });

  it('error: UpstreamUnavailableError while the outcome of a payment is unknown; charged once', async () => {
    const settled: string[] = [];
    let isDown = true;
    const { pay, server } = await start({
      settle: ({ authorization: { nonce } }) => {
        if (isDown)
          return Promise.reject(
            new UpstreamUnavailableError({ detail: 'down', details: { dependency: 'facilitator' } }),
          );
        settled.push(nonce);
        return Promise.resolve({ kind: 'settled', transaction: nonce as `0x${string}` });
      },
    });
    const header = buildPaymentHeader();
    expectError(await pay(header), 503, 'UPSTREAM_UNAVAILABLE');
    isDown = false;
    expect((await pay(header)).statusCode).toBe(200);
    expect([settled.length, server.calls.prepare.length]).toEqual([1, 1]);
  });

  it('behavior: a disconnected caller is not charged', async () => {
    let finish: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let respond: () => void = () => undefined;
    const prepare = () => {
      finish();
      return new Promise<ReturnType<typeof buildSetupResponse>>(
        (resolve) => (respond = () => resolve(buildSetupResponse())),
      );
    };
    const { server, settled, pay } = await start({}, { intents: { prepare } });
    await server.app.listen(0, '127.0.0.1');
    const { port } = server.app.getHttpServer().address() as AddressInfo;
    const [header, payload] = [buildPaymentHeader(), JSON.stringify(body)];
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nPayment-Signature: ${header}\r\n` +
        `Content-Length: ${String(payload.length)}\r\n\r\n${payload}`,
    );
    await begun;
    socket.destroy();
    await sleep(50);
    respond();
    await sleep(50);
    expect(settled).toEqual([]);
    const again = pay(header);
    await sleep(50);
    respond();
    expect((await again).statusCode).toBe(200);
  });

  it('behavior: free for the holder of an access key', async () => {
    const { server, settled } = await start();
    const response = await server.post(path, body, { 'x-access-key': 'a key of a friend' });
    expect([response.statusCode, settled.length]).toEqual([200, 0]);
    expect((await server.post(path, body, { 'x-access-key': 'guessed' })).statusCode).toBe(402);
  });

  it('behavior: the limit of requests comes first', async () => {
    const { rateLimits } = buildSettings();
    const { payments } = await buildPayments();
    server = await startServer({
      settings: {
        payments: paymentsOn,
        rateLimits: { ...rateLimits, perMinute: { ...rateLimits.perMinute, prepare: 1 } },
      },
      features: { payments },
    });
    expect((await server.post(path, body)).statusCode).toBe(402);
    expectError(await server.post(path, body), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('behavior: metrics count payments by outcome, payments in flight, and runs of the sweeper', async () => {
    let isDown = false;
    const { payments } = await buildPayments({
      facilitator: {
        settle: ({ authorization: { nonce } }) =>
          isDown
            ? Promise.reject(new UpstreamUnavailableError({ detail: 'down' }))
            : Promise.resolve({ kind: 'settled', transaction: nonce }),
      },
    });
    let sweeps = 0;
    const sweep = () => ((sweeps += 1) === 1 ? Promise.reject(new Error('down')) : payments.sweep());
    server = await startServer({
      settings: { payments: paymentsOn },
      features: { payments: { ...payments, sweep } },
      timings: { sweepIntervalMs: 5 },
    });
    const pay = (header: string) => server!.post(path, body, { 'payment-signature': header });
    const header = buildPaymentHeader();
    expect((await server.post(path, body)).statusCode).toBe(402);
    expect([(await pay(header)).statusCode, (await pay(header)).statusCode]).toEqual([200, 200]);
    isDown = true;
    const unknown = await pay(buildPaymentHeader());
    expect([unknown.statusCode, unknown.headers['retry-after']]).toEqual([503, expect.any(String)]);
    while (sweeps < 3) await sleep(5);
    const { body: text } = await server.get('/metrics');
    const value = (metric: string) => Number(new RegExp(`^yield_vault_${metric} (.+)$`, 'm').exec(text)?.[1]);
    for (const outcome of ['required', 'settled', 'repeated', 'unknown'])
      expect([outcome, value(`payments_total{outcome="${outcome}"}`)]).toEqual([outcome, 1]);
    // The clock of this chain never passes, so the unknown one is not given up.
    expect(value('payments_in_flight{state="lapsed"}')).toBeGreaterThan(0);
    expect(value('payment_sweeps_total{outcome="failed"}')).toBe(1);
    expect(value('payment_sweeps_total{outcome="succeeded"}')).toBeGreaterThan(0);
    expect(server.logged.map(({ msg }) => msg)).toContain(
      'the payment sweeper failed: the next attempt follows',
    );
    const swept = sweeps;
    await server.close();
    await sleep(30);
    expect(sweeps).toBe(swept);
    server = undefined;
  });

  it('behavior: the prices are listed, and health shows that payments are enforced', async () => {
    const { server } = await start();
    const prices = await server.get('/.well-known/x402');
    expect(prices.json()).toMatchObject({
      version: 1,
      x402Version: 2,
      resources: ['https://api.example/v1/yield/discover', `https://api.example${path}`],
    });
    expect((await server.get('/health')).json()).toMatchObject({ paymentEnforcement: 'on' });
  });

  it('behavior: where nothing has to be paid, payments are ignored and no prices listed', async () => {
    server = await startServer();
    expect((await server.post(path, body, { 'x-payment': buildPaymentHeader() })).statusCode).toBe(200);
    expectError(await server.get('/.well-known/x402'), 404, 'NOT_FOUND');
  });
});
