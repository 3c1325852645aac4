import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Post } from '@nestjs/common';
import type { Facilitator } from '@yield-vault/payments';
import { UpstreamUnavailableError, VaultAtCapacityError, type PrepareResponse } from '@yield-vault/protocol';
import { Priced } from '../../src/http/priced.decorator.js';
import { buildPaymentHeader, buildPayments, paymentsOn } from '../support/build-payments.js';
import { buildDeposit } from '../support/build-requests.js';
import { buildSetupResponse } from '../support/build-responses.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError, expectOk } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

const path = '/v1/yield/prepare';
const body = buildDeposit();
@Controller('v1/priced')
@Priced('prepare')
class PricedController {
  @Post()
  create(): string {
    return 'free';
  }
}

const decode = (header: unknown) =>
  JSON.parse(Buffer.from(String(header), 'base64').toString()) as Record<string, unknown>;
const down = (dependency: string) => () =>
  Promise.reject(new UpstreamUnavailableError({ detail: 'down', details: { dependency } }));

/** Nonces of the payments that were settled. */
const settled: string[] = [];
const settle = jest.fn<ReturnType<Facilitator['settle']>, Parameters<Facilitator['settle']>>();
const prepare = jest.fn<Promise<PrepareResponse>, []>();
let server: TestServer;
let payments: Awaited<ReturnType<typeof buildPayments>>['payments'];

beforeAll(async () => {
  ({ payments } = await buildPayments({ facilitator: { settle } }));
  server = await startServer({
    settings: { payments: paymentsOn },
    features: { payments, intents: { prepare } },
    controllers: [PricedController],
  });
});
afterAll(() => server.close());
beforeEach(() => {
  settled.length = 0;
  prepare.mockReset().mockImplementation(() => Promise.resolve(buildSetupResponse()));
  settle.mockReset().mockImplementation(({ authorization: { nonce } }) => {
    settled.push(nonce);
    return Promise.resolve({ kind: 'settled', transaction: nonce });
  });
});

const pay = (header: string, what: unknown = body, where = path) =>
  server.post(where, what, { 'payment-signature': header });
/** Let prepare wait; returns how to let it respond. */
function holdPrepare(): () => void {
  let finish: () => void = () => undefined;
  const held = new Promise<PrepareResponse>((resolve) => (finish = () => resolve(buildSetupResponse())));
  prepare.mockImplementationOnce(() => held);
  return finish;
}

describe('payments', () => {
  it('default: without a payment 402 in both protocols, and nothing is done', async () => {
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
    expect(prepare).not.toHaveBeenCalled();
  });

  it('behavior: a price of a controller holds for its routes', async () => {
    expect((await server.post('/v1/priced', {})).statusCode).toBe(402);
  });

  it('behavior: a paid request is served, charged once and carries its receipt; it comes again for the same request alone', async () => {
    const header = buildPaymentHeader();
    const [first, second] = [await pay(header), await pay(header)];
    expect([first.statusCode, first.json()]).toMatchObject([200, { needsSetup: true }]);
    expect(first.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
    });
    expect(decode(first.headers['payment-response'])).toMatchObject({ success: true });
    expect([second.statusCode, second.body]).toEqual([200, first.body]);
    expect(second.headers['payment-response']).toBe(first.headers['payment-response']);
    for (const other of [
      await pay(header, buildDeposit({ amount: '2' })),
      await pay(header, {}, '/v1/yield/discover'),
      await pay(header, body, `${path}?strategy=minimize_risk`),
    ])
      expect(other.statusCode).toBe(402);
    expect([settled.length, prepare.mock.calls.length]).toEqual([1, 1]);
  });

  describe.each([
    [1, 'base'],
    [2, 'eip155:8453'],
  ] as const)('a payment of version %d in X-PAYMENT', (version, network) => {
    it('default: is answered and charged; X-PAYMENT-RESPONSE has the receipt', async () => {
      const { headers } = await server.post(path, body, { 'x-payment': buildPaymentHeader(version) });
      expect(decode(headers['x-payment-response'])).toEqual({
        success: true,
        transaction: settled[0],
        network,
        payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      });
      expect([headers['payment-response'], settled.length]).toEqual([undefined, 1]);
    });

    it('behavior: a payment refused at settlement gets its reason, and not the response', async () => {
      settle.mockResolvedValueOnce({ kind: 'refused', reason: 'insufficient_funds' });
      const response = await server.post(path, body, { 'x-payment': buildPaymentHeader(version) });
      expect(response.statusCode).toBe(402);
      expect(response.body).not.toContain('setupTicket');
      expect(decode(response.headers['x-payment-response'])).toMatchObject({
        success: false,
        errorReason: 'insufficient_funds',
        network,
      });
    });
  });

  it('behavior: a GET too; a payment holds for one query, and a HEAD takes none', async () => {
    const calls = `/v1/yield/calls?from=${String(body['agentAddress'])}&vaultId=${String(body['vaultId'])}&amount=`;
    const { headers } = await server.get(`${calls}1`);
    expect(decode(headers['payment-required'])).toMatchObject({
      resource: { url: 'https://api.example/v1/yield/calls' },
      accepts: [{ amount: '10000' }],
    });
    const header = { 'payment-signature': buildPaymentHeader() };
    const head = await server.app.inject({ method: 'HEAD', url: `${calls}1`, headers: header });
    expect([head.statusCode, settled.length]).toEqual([402, 0]);
    expect((await server.get(`${calls}1`, header)).statusCode).toBe(200);
    expect((await server.get(`${calls}2`, header)).statusCode).toBe(402);
    expect(settled).toHaveLength(1);
  });

  it('behavior: discover too, whose response is made as text', async () => {
    const response = await pay(buildPaymentHeader(), {}, '/v1/yield/discover');
    expect([response.statusCode, response.json<{ count: number }>().count]).toEqual([200, 1]);
    expect(settled).toHaveLength(1);
  });

  it('behavior: in flight the same request is to wait, another one is refused', async () => {
    const finish = holdPrepare();
    const header = buildPaymentHeader();
    const running = pay(header);
    while (prepare.mock.calls.length === 0) await sleep(5);
    const again = await pay(header);
    expectError(again, 503, 'UPSTREAM_UNAVAILABLE');
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(0);
    expectError(await pay(header, buildDeposit({ amount: '2' })), 409, 'PAYMENT_IN_USE');
    finish();
    expectOk(await running);
    expect(settled).toHaveLength(1);
  });

  it.each([
    ['a body that cannot be read', '{"amount":', 'INVALID_PARAMETERS'],
    ['a body that breaks a rule', JSON.stringify({ ...body, amount: 'much' }), 'INVALID_PARAMETERS'],
    ['a request that cannot be done', JSON.stringify(body), 'VAULT_AT_CAPACITY'],
  ] as const)('behavior: %s is not charged, and the payment can be used again', async (_, payload, code) => {
    if (code === 'VAULT_AT_CAPACITY')
      prepare.mockRejectedValueOnce(new VaultAtCapacityError({ detail: 'full', details: {} }));
    const header = buildPaymentHeader();
    const headers = { 'content-type': 'application/json', 'payment-signature': header };
    expectError(await server.postRaw(path, payload, headers), 400, code);
    expect(settled).toEqual([]);
    expectOk(await pay(header));
    expect(settled).toHaveLength(1);
  });

  it('error: UpstreamUnavailableError while the outcome of a payment is unknown; charged once, and counted', async () => {
    const countOf = async () => {
      const { body: text } = await server.get('/metrics');
      return ['required', 'settled', 'repeated', 'unknown'].map((outcome) =>
        Number(
          new RegExp(`^yield_vault_payments_total\\{outcome="${outcome}"\\} (.+)$`, 'm').exec(text)?.[1],
        ),
      );
    };
    const before = await countOf();
    settle.mockImplementationOnce(down('facilitator'));
    const header = buildPaymentHeader();
    const unknown = await pay(header);
    expectError(unknown, 503, 'UPSTREAM_UNAVAILABLE');
    expect(unknown.headers['retry-after']).toEqual(expect.any(String));
    expectOk(await pay(header));
    expect([settled.length, prepare.mock.calls.length]).toEqual([1, 1]);
    await pay(header);
    await server.post(path, body);
    expect((await countOf()).map((count, index) => count - before[index]!)).toEqual([1, 1, 1, 1]);
  });

  it('behavior: a disconnected caller is not charged', async () => {
    const finish = holdPrepare();
    await server.app.listen(0, '127.0.0.1');
    const { port } = server.app.getHttpServer().address() as AddressInfo;
    const [header, payload] = [buildPaymentHeader(), JSON.stringify(body)];
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nPayment-Signature: ${header}\r\n` +
        `Content-Length: ${String(payload.length)}\r\n\r\n${payload}`,
    );
    while (prepare.mock.calls.length === 0) await sleep(5);
    socket.destroy();
    await sleep(50);
    finish();
    await sleep(50);
    expect(settled).toEqual([]);
    expectOk(await pay(header));
  });

  it('behavior: free for the holder of an access key', async () => {
    const response = await server.post(path, body, { 'x-access-key': 'a key of a friend' });
    expect([response.statusCode, settled.length]).toEqual([200, 0]);
    expect((await server.post(path, body, { 'x-access-key': 'guessed' })).statusCode).toBe(402);
  });

  it('behavior: the prices are listed, and health shows that payments are enforced', async () => {
    expect((await server.get('/.well-known/x402')).json()).toMatchObject({
      version: 1,
      x402Version: 2,
      resources: ['discover', 'prepare', 'calls'].map((name) => `https://api.example/v1/yield/${name}`),
    });
    expect((await server.get('/health')).json()).toMatchObject({ paymentEnforcement: 'on' });
  });

  it('behavior: the limit of requests comes first; a handler that outlives the deadline is not charged', async () => {
    const { rateLimits } = buildSettings();
    const strict = await startServer({
      settings: {
        payments: paymentsOn,
        rateLimits: { ...rateLimits, perMinute: { ...rateLimits.perMinute, prepare: 2 } },
      },
      server: { requestTimeoutSeconds: 0.3 },
      features: { payments, intents: { prepare } },
      controllers: [PricedController],
    });
    const finish = holdPrepare();
    const header = buildPaymentHeader();
    const late = await strict.post(path, body, { 'payment-signature': header });
    expectError(late, 503, 'UPSTREAM_UNAVAILABLE');
    expect((await strict.post(path, body)).statusCode).toBe(402);
    expectError(await strict.post(path, body), 429, 'RATE_LIMIT_EXCEEDED');
    finish();
    // The payment is free again once its handler has ended.
    let response = await pay(header);
    while (response.statusCode === 503) response = await pay(header);
    expect([response.statusCode, settled.length]).toEqual([200, 1]);
    await strict.close();
  });

  it('behavior: where nothing has to be paid, payments are ignored and no prices listed', async () => {
    const free = await startServer();
    expectOk(await free.post(path, body, { 'x-payment': buildPaymentHeader() }));
    expectError(await free.get('/.well-known/x402'), 404, 'NOT_FOUND');
    await free.close();
  });
});
