import { setTimeout as sleep } from 'node:timers/promises';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { sharedForkService } from '../test/support/devnet.js';
import { fundedAgent, setUp, usdcVault, type FundedAgent } from '../test/support/funded-agent.js';
import { readOperations, type Operation } from '../test/support/read-operations.js';
import { startServer, type Server } from '../test/support/start-server.js';

/** One rule of each kind. The tables of all rules are in apps/api/test/http, against the same server on fake features. */
const broken = {
  discover: [{ extra: 1 }, { limit: 21 }, { minApy: '10' }, { strategy: 'yolo' }],
  deposit: [
    { extra: 1 },
    { agentAddress: '0x1234' },
    { amount: undefined },
    { amount: '1e3' },
    // Rules of the library behind the form.
    { amount: '0' },
    { amount: '1.0000001' },
  ],
  redeem: [{}, { shares: '1', percentage: 50 }, { percentage: 100.1 }, { shares: '0' }],
};

describe('requests that break a rule', () => {
  let server: Server;
  let api: ApiClient;
  let agent: FundedAgent;
  let vaultId: string;

  beforeAll(async () => {
    server = await startServer({ backfillHours: 48 });
    api = await createApiClient(server.url);
    agent = await fundedAgent();
    ({ vaultId } = await usdcVault(api));
    await setUp(api, agent, vaultId);
  }, 60_000);
  afterAll(() => server?.stop());

  const expectInvalid = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const { status, body: error } = await api.refused(method, path, body);
    expect([status, error.code, error.error]).toEqual([
      400,
      'INVALID_PARAMETERS',
      'Invalid request parameters',
    ]);
    return error;
  };
  const deposit = () => ({
    operation: 'deposit',
    chain: 'base',
    agentAddress: agent.address,
    vaultId,
    asset: 'USDC',
    amount: '5',
  });
  const redeem = () => ({ operation: 'redeem', chain: 'base', agentAddress: agent.address, vaultId });

  it.each(broken.discover)('POST discover: %j', async (change) => {
    const { details } = await expectInvalid('POST', '/v1/yield/discover', change);
    expect(details['violations']).toEqual([{ field: Object.keys(change)[0], message: expect.any(String) }]);
  });

  it.each(broken.deposit)('POST prepare, deposit: %j', async (change) => {
    const { details } = await expectInvalid('POST', '/v1/yield/prepare', { ...deposit(), ...change });
    expect(details['violations']).toEqual([expect.objectContaining({ field: Object.keys(change)[0] })]);
  });

  it.each(broken.redeem)('POST prepare, redeem: %j', async (change) => {
    await expectInvalid('POST', '/v1/yield/prepare', { ...redeem(), ...change });
  });

  it.each([
    '/v1/yield/history',
    '/v1/yield/history?vaultId=1&period=2d',
    `/v1/yield/status?userAddress=0x${'11'.repeat(20)}&userAddress=0x${'22'.repeat(20)}`,
  ])('GET %s', async (path) => {
    await expectInvalid('GET', path);
  });

  it.each(['discover', 'prepare', 'execute', 'setup-relay'])(
    'POST %s: a body that is no JSON object',
    async (route) => {
      for (const body of ['null', '', '{"chain":']) await expectInvalid('POST', `/v1/yield/${route}`, body);
    },
  );

  it.each([
    ['/v1/yield/discover', { chain: 'optimism' }],
    ['/v1/yield/prepare', { chain: 'optimism', vaultId: '1', asset: 'USDC', amount: '1' }],
  ])('POST %s: a chain that is not active', async (path, request) => {
    const body = path.endsWith('prepare') ? { ...request, agentAddress: agent.address } : request;
    const { status, body: error } = await api.refused('POST', path, body);
    expect([status, error.code]).toEqual([400, 'CHAIN_NOT_ACTIVE']);
    expect(error.details['supportedChains']).toEqual(expect.arrayContaining(['base', 'ethereum']));
  });

  it('GET history: UNKNOWN_VAULT', async () => {
    const { status, body } = await api.refused('GET', '/v1/yield/history?vaultId=1');
    expect([status, body.code]).toEqual([400, 'UNKNOWN_VAULT']);
  });

  it('behavior: no match is an empty list, not an error', async () => {
    expect(await api.discover({ chain: 'base', asset: 'NOSUCH' })).toMatchObject({ count: 0, vaults: [] });
  });

  it('behavior: defaults apply to an empty body', async () => {
    expect(await api.discover({})).toMatchObject({ chain: 'base', chainId: 8453, strategy: 'balanced' });
  });

  it('behavior: addresses are read in any case', async () => {
    const upper = `0x${agent.address.slice(2).toUpperCase()}`;
    expect(await api.status(upper)).toEqual(await api.status(agent.address));
    expect(await api.prepare({ ...deposit(), agentAddress: upper })).toMatchObject({ needsSetup: false });
  });

  describe('rules of HTTP', () => {
    const send = (path: string, init: RequestInit) => fetch(`${server.url}${path}`, init);

    it.each([
      ['GET', '/v1/yield/nothing'],
      ['GET', '/v1/yield/discover'],
      ['POST', '/v1/yield/status'],
    ] as const)('%s %s is 404', async (method, path) => {
      const { status, body } = await api.refused(method, path, method === 'POST' ? {} : undefined);
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    });

    it('error: without a fork service fund-wallet is FORKS_NOT_CONFIGURED, and fork-status says so', async () => {
      const body = { chain: 'base', walletAddress: agent.address, ethWei: '1' };
      const { status, body: error } = await api.refused('POST', '/v1/testing/fund-wallet', body);
      expect([status, error.code, error.error]).toEqual([
        503,
        'FORKS_NOT_CONFIGURED',
        'Test forks are not configured',
      ]);
      const { health, primaryForks } = await api.forkStatus();
      expect([health.status, health.activeForks, primaryForks]).toEqual(['unavailable', 0, []]);
    });

    it('a browser preflight is 404 without any CORS header', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      const response = await send('/v1/yield/discover', { method: 'OPTIONS', headers });
      expect(response.status).toBe(404);
      const answer = await send('/health', { headers: { origin: 'https://evil.example' } });
      for (const sent of [response.headers, answer.headers])
        expect([...sent.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    });

    it('a request id is echoed', async () => {
      const response = await send('/v1/yield/history', { headers: { 'x-request-id': 'my-request-1' } });
      expect(response.headers.get('x-request-id')).toBe('my-request-1');
      expect(await response.json()).toMatchObject({ requestId: 'my-request-1' });
      // The log is written behind the response.
      while (!server.log().includes('"requestId":"my-request-1"')) await sleep(20);
    });

    it('every response is typed', async () => {
      const { status, body } = await api.call('GET', '/health');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'ok',
        environment: 'local',
        preflightMode: 'enforce',
        paymentEnforcement: 'off',
        chains: { base: { chainId: 8453, rpc: 'ok', bundler: 'ok' }, ethereum: { chainId: 1 } },
      });
    });
  });
});

describe('the examples of /openapi.json, pressed as they stand', () => {
  let server: Server;
  let operations: readonly Operation[];

  beforeAll(async () => {
    server = await startServer({ forkService: sharedForkService() });
    operations = readOperations(await (await fetch(`${server.url}/openapi.json`)).json());
  }, 90_000);
  afterAll(() => server?.stop());

  it('behavior: each responds 200; the examples of signed requests and of their intent show the form only', async () => {
    const pressed = operations.filter(
      ({ path }) => !/\/(execute|setup-relay|gasless-setup|intents\/0x\w+)$/.test(path),
    );
    expect(pressed.length).toBeGreaterThan(12);
    const responses = [];
    for (const { method, path, body } of pressed) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      const text = await response.text();
      responses.push({ method, path, body, status: response.status, ...(response.ok ? {} : { text }) });
    }
    expect(responses).toEqual(pressed.map((operation) => ({ ...operation, status: 200 })));
  });
});

describe('rate limits, and no testing tools', () => {
  let server: Server;

  beforeAll(async () => {
    server = await startServer({ backfillHours: 48, requestsPerMinute: 3, testing: { enabled: false } });
  }, 60_000);
  afterAll(() => server?.stop());

  it('error: the call over the limit is 429, with the time to wait', async () => {
    const discover = () =>
      fetch(`${server.url}/v1/yield/discover`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    for (const _ of [1, 2, 3]) expect((await discover()).status).toBe(200);
    const response = await discover();
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryable: true });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect([...response.headers.keys()].filter((name) => name.startsWith('ratelimit'))).not.toEqual([]);
    // Other routes have a limit of their own.
    expect((await fetch(`${server.url}/v1/yield/status?userAddress=0x${'11'.repeat(20)}`)).status).toBe(200);
  });

  it.each([
    ['POST', '/v1/testing/fund-wallet'],
    ['GET', '/v1/testing/fork-status'],
  ] as const)('error: %s %s is 404 where testing tools are off', async (method, path) => {
    const response = await fetch(`${server.url}${path}`, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  });
});
