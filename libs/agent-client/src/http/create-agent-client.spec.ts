import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import { Wallet } from 'ethers';
import { recoverTypedDataAddress, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { listen } from '@yield-vault/testing';
import { sampleResponses } from '../../test/support/sample-responses.js';
import { ApiError, MalformedResponseError, ServiceUnreachableError } from '../errors.js';
import { createAgentClient } from './create-agent-client.js';
import type { AgentSigner } from '../sign/signer.js';
import { createPayer } from '../x402.js';
import type { AgentClientOptions } from './create-caller.js';
import type { Endpoint } from './response-shapes.js';

/** A response to give, or a broken connection. */
type FakeResponse =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang up';

const key: Hex = `0x${'11'.repeat(32)}`;
const account = privateKeyToAccount(key);
const request = { intentEnvelope: { version: '1' }, intentSignature: '0x12' } as never;
const ranked = { chain: 'base', chainId: 8453, strategy: 'balanced', count: 0, vaults: [] };
const ok: FakeResponse = { status: 200, body: ranked };
const sampleOf = (endpoint: Endpoint): FakeResponse => ({ status: 200, body: sampleResponses(endpoint)[0] });
const refusal = (status: number, code: string, more: object = {}, headers = {}): FakeResponse => ({
  status,
  headers,
  body: {
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
type Terms = Omit<typeof terms, 'network' | 'asset'> & {
  readonly network: `eip155:${number}`;
  readonly asset: string;
};
const onEthereum = {
  ...terms,
  network: 'eip155:1',
  asset: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
} as const;
const demandOf = (accepts: Terms[]): FakeResponse => ({
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
      accepts,
    }),
  },
  body: {
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    accepts,
    requestId: 'r-2',
  },
});
const paymentRequired = demandOf([terms]);

describe('createAgentClient', () => {
  let requests: { body: string; headers: Headers }[];
  /** Create a client of a service that gives one response after the other, the last for ever. */
  const start = (responses: readonly FakeResponse[], options: Partial<AgentClientOptions> = {}) => {
    requests = [];
    const fetch = async (request: Request) => {
      requests.push({ body: await request.text(), headers: request.headers });
      const next = responses[Math.min(requests.length, responses.length) - 1]!;
      if (next === 'hang up') throw new TypeError('fetch failed');
      const { body, ...init } = next;
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), init);
    };
    return createAgentClient({ baseUrl: 'http://service.test', fetch, ...options });
  };

  it('default: sends JSON and gives the body', async () => {
    const client = start([ok]);
    expect(await client.discover({ chain: 'base', asset: 'USDC' })).toEqual(ranked);
    expect(requests).toHaveLength(1);
    const [{ body, headers }] = requests as [(typeof requests)[0]];
    expect([JSON.parse(body), headers.get('content-type')]).toEqual([
      { chain: 'base', asset: 'USDC' },
      'application/json',
    ]);
  });

  it('error: ApiError has everything that the body says', async () => {
    const client = start([refusal(400, 'INSUFFICIENT_BALANCE', { details: { missing: '5' } })]);
    const failed = client.prepare({ agentAddress: account.address, vaultId: '1' });
    await expect(failed).rejects.toBeInstanceOf(ApiError);
    await expect(failed).rejects.toMatchObject({
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
      message: 'Documented sentence (INSUFFICIENT_BALANCE): What was wrong.',
      details: { missing: '5' },
      retryable: false,
      nextAction: 'Do this.',
      requestId: 'r-1',
    });
    expect(requests).toHaveLength(1);
  });

  it.each<[string, FakeResponse]>([
    ['a broken connection', 'hang up'],
    ['a refusal that may pass', refusal(503, 'TRANSACTION_PENDING')],
    ['half a response', { status: 200, body: '{"chain":' }],
    ['a response without its hashes', { status: 200, body: { result: 'executed' } }],
  ])('behavior: execute is sent again after %s, byte for byte', async (_, first) => {
    const client = start([first, sampleOf('POST /v1/yield/execute')]);
    expect(await client.execute(request)).toMatchObject({ result: 'executed' });
    expect(requests).toHaveLength(2);
    expect(requests[1]?.body).toBe(requests[0]?.body);
  });

  it.each<[boolean, string, FakeResponse]>([
    [true, 'a lost response', 'hang up'],
    [true, 'half a response', { status: 200, body: '{' }],
    [true, 'a service that cannot tell', refusal(503, 'UPSTREAM_UNAVAILABLE')],
    [false, 'a full fork service', refusal(503, 'FORK_CAPACITY')],
    [false, 'too many requests', refusal(429, 'RATE_LIMIT_EXCEEDED')],
  ])('error: ApiError with afterLostResponse %s after %s', async (afterLostResponse, _, first) => {
    const client = start([first, refusal(400, 'TRANSACTION_SUBMISSION_FAILED')]);
    await expect(client.execute(request)).rejects.toMatchObject({ status: 400, afterLostResponse });
    // Of one request only.
    await expect(client.execute(request)).rejects.toMatchObject({ status: 400, afterLostResponse: false });
  });

  it('behavior: waits as long as Retry-After says', async () => {
    const client = start([refusal(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': '1' }), ok]);
    const started = performance.now();
    await client.discover();
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  it('error: a wait of minutes is returned to the caller', async () => {
    const client = start([refusal(503, 'DATA_STALE', {}, { 'retry-after': '120' })]);
    await expect(client.discover()).rejects.toMatchObject({ code: 'DATA_STALE', retryAfterSeconds: 120 });
    expect(requests).toHaveLength(1);
  });

  it.each<[number, string, FakeResponse]>([
    [2, 'connection failed', 'hang up'],
    [2, 'HTTP 502 with an unknown body', { status: 502, body: '<html>' }],
  ])('error: ServiceUnreachableError after %d requests: %s', async (count, reason, response) => {
    const client = start([response], { retries: 1 });
    const name = 'ServiceUnreachableError';
    await expect(client.discover()).rejects.toMatchObject({ name, reason });
    expect(requests).toHaveLength(count);
  });

  it('error: a load balancer that will be away for longer than a retry may wait', async () => {
    const client = start([{ status: 502, body: '<html>', headers: { 'retry-after': '31' } }]);
    await expect(client.discover()).rejects.toMatchObject({ retryAfterSeconds: 31 });
    expect(requests).toHaveLength(1);
  });

  it('error: a response that nests too deeply to be printed, but no text that looks so', async () => {
    const brackets = '['.repeat(101);
    const deep = JSON.stringify(ranked).replace(/}$/, `,"more":${brackets}${']'.repeat(101)}}`);
    await expect(start([{ status: 200, body: deep }]).discover()).rejects.toBeInstanceOf(
      MalformedResponseError,
    );
    const flat = JSON.stringify({ ...ranked, more: `"${brackets}` });
    await expect(start([{ status: 200, body: flat }]).discover()).resolves.toMatchObject(ranked);
  });

  it('error: a response that takes too long', async () => {
    const { port, stop } = await listen(createServer(() => undefined));
    const client = createAgentClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0, timeoutMs: 20 });
    await expect(client.discover()).rejects.toMatchObject({ reason: 'timed out' });
    await stop();
  });

  it('error: a redirect is not followed', async () => {
    const redirect = jest.fn((_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(307, { location: '/' }).end(),
    );
    const { port, stop } = await listen(createServer(redirect));
    const client = createAgentClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 });
    await expect(client.discover()).rejects.toBeInstanceOf(ServiceUnreachableError);
    await stop();
    expect(redirect).toHaveBeenCalledTimes(1);
  });

  it.each<[string, FakeResponse, new (...args: never[]) => Error]>([
    ['no response', 'hang up', ServiceUnreachableError],
    ['half a response', { status: 200, body: '{' }, MalformedResponseError],
  ])('behavior: minting is not repeated after %s', async (_, response, expected) => {
    const client = start([response]);
    await expect(client.fundWallet({ chain: 'base', walletAddress: account.address })).rejects.toBeInstanceOf(
      expected,
    );
    expect(requests).toHaveLength(1);
  });

  describe('payments', () => {
    const pay = jest.fn(createPayer(account));
    beforeEach(() => pay.mockClear());

    it('default: the official client pays the requested price, and repeats the same request', async () => {
      const client = start([paymentRequired, ok], { payer: pay });
      expect(await client.discover({ limit: 3 })).toEqual(ranked);
      const [unpaid, paid] = requests;
      expect(unpaid?.headers.get('payment-signature')).toBeNull();
      expect(paid?.body).toBe(unpaid?.body);
      const payment = decodePaymentSignatureHeader(paid!.headers.get('payment-signature')!);
      expect(payment.accepted).toEqual(terms);
      expect(payment.payload).toMatchObject({ authorization: { from: account.address, value: '10000' } });
    });

    it.each<[string, AgentSigner]>([
      ['a wallet of ethers', new Wallet(key)],
      ['an account that signs hashes', { address: account.address, sign: account.sign }],
    ])('param: %s pays as an account of viem does', async (_, signer) => {
      const client = start([paymentRequired, ok], { payer: createPayer(signer) });
      await client.discover();
      const header = requests[1]!.headers.get('payment-signature')!;
      const { authorization: message, signature } = decodePaymentSignatureHeader(header).payload as never;
      const domain = { ...terms.extra, chainId: 8453, verifyingContract: terms.asset };
      const document = {
        domain,
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
      } as const;
      expect(await recoverTypedDataAddress({ ...document, message, signature })).toBe(account.address);
    });

    it('param: chainId chooses the chain that is paid on', async () => {
      const client = start([demandOf([terms, onEthereum]), ok], {
        payer: createPayer(account, { chainId: 1 }),
      });
      await client.discover();
      const payment = decodePaymentSignatureHeader(requests[1]!.headers.get('payment-signature')!);
      expect(payment.accepted).toEqual(onEthereum);
    });

    it('behavior: a request whose response is lost is repeated with the same payment', async () => {
      const client = start([paymentRequired, 'hang up', refusal(503, 'UPSTREAM_UNAVAILABLE'), ok], {
        payer: pay,
      });
      await client.discover();
      const payments = requests.map(({ headers }) => headers.get('payment-signature'));
      expect(payments).toEqual([null, payments[1], payments[1], payments[1]]);
      expect(payments[1]).toEqual(expect.any(String));
      expect(pay).toHaveBeenCalledTimes(1);
    });

    it.each<[string, readonly FakeResponse[]]>([
      ['at once', [paymentRequired]],
      ['after a lost response', [paymentRequired, 'hang up', paymentRequired]],
    ])('error: a payment that is refused %s is not made twice', async (_, responses) => {
      const client = start(responses, { payer: pay });
      await expect(client.discover()).rejects.toMatchObject({
        code: 'PAYMENT_REQUIRED',
        details: { accepts: [terms] },
        nextAction: expect.stringContaining('can still be charged'),
      });
      expect(pay).toHaveBeenCalledTimes(1);
    });

    it('behavior: another request is another payment', async () => {
      const client = start([paymentRequired, ok, paymentRequired, ok], { payer: pay });
      await client.discover();
      await client.discover();
      expect(pay).toHaveBeenCalledTimes(2);
    });

    it('error: a price above the limit of the payer is not paid', async () => {
      const client = start([paymentRequired], {
        payer: createPayer(account, { maxPayment: '$0.009' }),
      });
      await expect(client.discover()).rejects.toThrow(/0\.009|spend|exceed/i);
      expect(requests).toHaveLength(1);
    });

    it.each([
      ['that could be charged for longer than ten minutes', { maxTimeoutSeconds: 601 }],
      ['whose end is not a number', { maxTimeoutSeconds: '60' }],
      [
        'in a dollar of another chain',
        { network: 'eip155:42220', asset: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e' },
      ],
      ['by a permit', { extra: { ...terms.extra, assetTransferMethod: 'permit2' } }],
    ])('error: a payment %s is not signed', async (_, changes) => {
      const client = start([demandOf([{ ...terms, ...changes } as Terms])], { payer: pay });
      await expect(client.discover()).rejects.toThrow(/filtered|rejected/);
      expect(requests).toHaveLength(1);
    });

    it('error: a request that is free is not paid', async () => {
      const client = start([paymentRequired], { payer: pay });
      await expect(client.status(account.address)).rejects.toMatchObject({ code: 'PAYMENT_REQUIRED' });
      expect(pay).not.toHaveBeenCalled();
    });

    it('error: a demand that is none of the interface is not paid', async () => {
      const client = start([{ status: 402, body: '<html>' }], { payer: pay, retries: 0 });
      await expect(client.discover()).rejects.toBeInstanceOf(MalformedResponseError);
      expect(pay).not.toHaveBeenCalled();
    });

    it('error: without a payer', async () => {
      const client = start([paymentRequired]);
      await expect(client.discover()).rejects.toMatchObject({ status: 402, requestId: 'r-2' });
    });
  });
});
