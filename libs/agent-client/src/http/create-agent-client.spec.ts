import { decodePaymentSignatureHeader, encodePaymentRequiredHeader } from '@x402/core/http';
import { privateKeyToAccount } from 'viem/accounts';
import { startFakeService, type FakeResponse, type FakeService } from '../../test/start-fake-service.js';
import { sampleResponses } from '../../test/support/sample-responses.js';
import { ApiError, MalformedResponseError, ServiceUnreachableError } from '../errors.js';
import { createAgentClient } from './create-agent-client.js';
import { createPayer } from '../x402.js';
import type { AgentClientOptions } from './create-caller.js';
import type { Endpoint } from './response-shapes.js';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const ranked = { chain: 'base', chainId: 8453, strategy: 'balanced', count: 0, vaults: [] };
const ok: FakeResponse = { status: 200, body: ranked };
const sampleOf = (endpoint: Endpoint): FakeResponse => ({ status: 200, body: sampleResponses(endpoint)[0] });
const refusal = (status: number, code: string, more: object = {}, headers = {}): FakeResponse => ({
  status,
  headers,
  body: {
    statusCode: status,
    error: 'Documented sentence',
    code,
    detail: 'What was wrong.',
    retryable: status === 503 || status === 429,
    nextAction: 'Do this.',
    details: {},
    requestId: 'r-1',
    ...more,
  },
});
const terms = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
} as const;
const paymentRequired: FakeResponse = {
  status: 402,
  headers: {
    'PAYMENT-REQUIRED': encodePaymentRequiredHeader({
      x402Version: 2,
      error: 'Payment required',
      resource: {
        url: 'https://yield.example/v1/yield/discover',
        description: '',
        mimeType: 'application/json',
      },
      accepts: [terms],
    }),
  },
  body: {
    x402Version: 1,
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    accepts: [terms],
    requestId: 'r-2',
  },
};

describe('createAgentClient', () => {
  let service: FakeService;
  const start = async (responses: readonly FakeResponse[], options: Partial<AgentClientOptions> = {}) => {
    service = await startFakeService(responses);
    return createAgentClient({ baseUrl: service.url, ...options });
  };
  afterEach(() => service.stop());

  it('default: sends JSON and gives the body', async () => {
    const client = await start([ok]);
    expect(await client.discover({ chain: 'base', asset: 'USDC' })).toEqual(ranked);
    expect(service.requests).toHaveLength(1);
    const [{ path, body, headers }] = service.requests as [FakeService['requests'][0]];
    expect([path, JSON.parse(body), headers['content-type']]).toEqual([
      '/v1/yield/discover',
      { chain: 'base', asset: 'USDC' },
      'application/json',
    ]);
  });

  it('behavior: paths and queries', async () => {
    const client = await start(
      (
        [
          'GET /v1/yield/vaults/{vaultId}',
          'GET /v1/yield/history',
          'GET /v1/yield/status',
          'GET /v1/yield/vaults',
          'GET /v1/yield/chains',
          'GET /v1/yield/intents/{intentId}',
          'GET /v1/yield/intents',
          'GET /v1/testing/fork-status',
          'GET /health',
        ] as const
      ).map(sampleOf),
    );
    await client.explain('42');
    await client.history({ vaultId: '42', period: '7d' });
    await client.status(account.address);
    await client.vaults();
    await client.chains();
    await client.intent('0x12');
    await client.intents({ wallet: account.address, limit: 5 });
    await client.forkStatus();
    await client.health();
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/v1/yield/vaults/42',
      '/v1/yield/history?vaultId=42&period=7d',
      `/v1/yield/status?userAddress=${account.address}`,
      '/v1/yield/vaults',
      '/v1/yield/chains',
      '/v1/yield/intents/0x12',
      `/v1/yield/intents?wallet=${account.address}&limit=5`,
      '/v1/testing/fork-status',
      '/health',
    ]);
  });

  it('error: ApiError has everything that the body says', async () => {
    const client = await start([
      refusal(400, 'INSUFFICIENT_BALANCE', { details: { missing: '5', token: '0x01' } }),
    ]);
    const failed = client.prepare({ agentAddress: account.address, vaultId: '1' });
    await expect(failed).rejects.toBeInstanceOf(ApiError);
    await expect(failed).rejects.toMatchObject({
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
      message: 'Documented sentence (INSUFFICIENT_BALANCE): What was wrong.',
      details: { missing: '5', token: '0x01' },
      retryable: false,
      nextAction: 'Do this.',
      requestId: 'r-1',
    });
    expect(service.requests).toHaveLength(1);
  });

  it.each<[string, FakeResponse]>([
    ['a broken connection', 'hang up'],
    ['a refusal that may pass', refusal(503, 'TRANSACTION_PENDING')],
    ['a proxy in its place', { status: 502, body: '<html>' }],
    ['half a response', { status: 200, body: '{"chain":' }],
    ['a response without its hashes', { status: 200, body: { result: 'executed' } }],
  ])('behavior: execute is sent again after %s, byte for byte', async (_, first) => {
    const client = await start([first, sampleOf('POST /v1/yield/execute')]);
    const request = { intentEnvelope: { version: '1' }, intentSignature: '0x12' } as never;
    expect(await client.execute(request)).toMatchObject({ result: 'executed' });
    expect(service.requests).toHaveLength(2);
    expect(service.requests[1]?.body).toBe(service.requests[0]?.body);
  });

  it.each<[boolean, string, FakeResponse]>([
    [true, 'a lost response', 'hang up'],
    [true, 'half a response', { status: 200, body: '{' }],
    [true, 'a service that cannot tell', refusal(503, 'UPSTREAM_UNAVAILABLE')],
    [false, 'a full fork service', refusal(503, 'FORK_CAPACITY')],
    [false, 'too many requests', refusal(429, 'RATE_LIMIT_EXCEEDED')],
  ])('error: ApiError with afterLostResponse %s after %s', async (afterLostResponse, _, first) => {
    const client = await start([first, refusal(400, 'TRANSACTION_SUBMISSION_FAILED')]);
    const request = { intentEnvelope: { version: '1' }, intentSignature: '0x12' } as never;
    await expect(client.execute(request)).rejects.toMatchObject({ status: 400, afterLostResponse });
    // Of one request only.
    await expect(client.execute(request)).rejects.toMatchObject({ status: 400, afterLostResponse: false });
  });

  it('behavior: waits as long as Retry-After says', async () => {
    const client = await start([refusal(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': '1' }), ok]);
    const started = performance.now();
    await client.discover();
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  it('error: a wait of minutes is returned to the caller', async () => {
    const client = await start([refusal(503, 'DATA_STALE', {}, { 'retry-after': '120' })]);
    await expect(client.discover()).rejects.toMatchObject({ code: 'DATA_STALE', retryAfterSeconds: 120 });
    expect(service.requests).toHaveLength(1);
  });

  it('error: gives up after the retries', async () => {
    const client = await start(['hang up'], { retries: 1 });
    await expect(client.discover()).rejects.toMatchObject({
      name: 'ServiceUnreachableError',
      reason: 'connection failed',
    });
    expect(service.requests).toHaveLength(2);
  });

  it('error: MalformedResponseError names the endpoint, the problem and the next action, without the body', async () => {
    const body = { ...ranked, count: '0', strategy: 'secret', chain: 5 };
    const client = await start([{ status: 200, body }], { retries: 1 });
    const failed = client.discover();
    await expect(failed).rejects.toBeInstanceOf(MalformedResponseError);
    await expect(failed).rejects.toMatchObject({
      endpoint: 'POST /v1/yield/discover',
      problem: 'chain: Invalid input: expected string, received number',
      nextAction: expect.stringMatching(/baseUrl/) as string,
    });
    expect(service.requests).toHaveLength(2);
  });

  it.each<[string, unknown]>([
    ['HTML', '<html>502 Bad Gateway</html>'],
    ['JSON', { message: 'no healthy upstream' }],
    ['nothing', ''],
  ])(
    'error: ServiceUnreachableError when a load balancer responds with %s, until it says otherwise',
    async (_, body) => {
      const client = await start([{ status: 502, body, headers: { 'retry-after': '31' } }]);
      const failed = client.discover();
      await expect(failed).rejects.toBeInstanceOf(ServiceUnreachableError);
      await expect(failed).rejects.toMatchObject({
        reason: 'HTTP 502 with an unknown body',
        retryAfterSeconds: 31,
      });
    },
  );

  it('error: a response that takes too long', async () => {
    const client = await start([ok], {
      retries: 0,
      timeoutMs: 20,
      fetch: (request) =>
        new Promise((_, fail) => {
          request.signal.addEventListener('abort', () => fail(request.signal.reason as Error));
        }),
    });
    await expect(client.discover()).rejects.toMatchObject({ reason: 'timed out' });
  });

  it('error: a redirect is not followed', async () => {
    const client = await start([{ status: 307, headers: { location: '/elsewhere' }, body: {} }], {
      retries: 0,
    });
    await expect(client.discover()).rejects.toBeInstanceOf(ServiceUnreachableError);
    expect(service.requests).toHaveLength(1);
  });

  it.each<[string, FakeResponse, new (...args: never[]) => Error]>([
    ['no response', 'hang up', ServiceUnreachableError],
    ['half a response', { status: 200, body: '{' }, MalformedResponseError],
  ])('behavior: minting is not repeated after %s', async (_, response, expected) => {
    const client = await start([response]);
    const request = { chain: 'base', walletAddress: account.address, ethWei: '1' };
    await expect(client.fundWallet(request)).rejects.toBeInstanceOf(expected);
    expect(service.requests).toHaveLength(1);
  });

  describe('payments', () => {
    const pay = jest.fn(createPayer(account));
    beforeEach(() => pay.mockClear());

    it('default: the official client pays the requested price, and repeats the same request', async () => {
      const client = await start([paymentRequired, ok], { payer: pay });
      expect(await client.discover({ limit: 3 })).toEqual(ranked);
      const [unpaid, paid] = service.requests;
      expect(unpaid?.headers['payment-signature']).toBeUndefined();
      expect(paid?.body).toBe(unpaid?.body);
      const payment = decodePaymentSignatureHeader(String(paid?.headers['payment-signature']));
      expect(payment.accepted).toEqual(terms);
      expect(payment.payload).toMatchObject({ authorization: { from: account.address, value: '10000' } });
    });

    it('behavior: a request whose response is lost is repeated with the same payment', async () => {
      const client = await start([paymentRequired, 'hang up', refusal(503, 'UPSTREAM_UNAVAILABLE'), ok], {
        payer: pay,
      });
      await client.discover();
      const payments = service.requests.map(({ headers }) => headers['payment-signature']);
      expect(payments).toEqual([undefined, payments[1], payments[1], payments[1]]);
      expect(payments[1]).toEqual(expect.any(String));
      expect(pay).toHaveBeenCalledTimes(1);
    });

    it('error: a payment that is refused is not made twice', async () => {
      const client = await start([paymentRequired], { payer: pay });
      await expect(client.discover()).rejects.toMatchObject({
        code: 'PAYMENT_REQUIRED',
        details: { accepts: [terms] },
      });
      expect(pay).toHaveBeenCalledTimes(1);
    });

    it('behavior: another request is another payment', async () => {
      const client = await start([paymentRequired, ok, paymentRequired, ok], { payer: pay });
      await client.discover();
      await client.discover();
      expect(pay).toHaveBeenCalledTimes(2);
    });

    it('error: a price above the limit of the payer is not paid', async () => {
      const client = await start([paymentRequired], {
        payer: createPayer(account, { maxPayment: '$0.009' }),
      });
      await expect(client.discover()).rejects.toThrow(/0\.009|spend|exceed/i);
      expect(service.requests).toHaveLength(1);
    });

    it('error: a demand that is none of the interface is not paid', async () => {
      const client = await start([{ status: 402, body: '<html>' }], { payer: pay, retries: 0 });
      await expect(client.discover()).rejects.toBeInstanceOf(MalformedResponseError);
      expect(pay).not.toHaveBeenCalled();
    });

    it('error: without a payer', async () => {
      const client = await start([paymentRequired]);
      await expect(client.discover()).rejects.toMatchObject({ status: 402, requestId: 'r-2' });
    });
  });
});
