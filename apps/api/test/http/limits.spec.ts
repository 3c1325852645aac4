import { Controller, Get, type Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { examples } from '../../src/openapi/examples.js';
import type { ServerSettings } from '../../src/settings.js';
import { expectError } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

const perMinute = {
  discover: 2,
  status: 3,
  history: 4,
  prepare: 5,
  execute: 6,
  setupRelay: 7,
  testing: 8,
  pages: 10,
  other: 9,
};

@Controller('v1/added')
class AddedController {
  @Get()
  read(): string {
    return 'added';
  }
}

let server: TestServer;
afterEach(() => server.close());
async function start(
  trustProxy: ServerSettings['server']['trustProxy'] = 0,
  controllers: Type[] = [],
): Promise<void> {
  server = await startServer({
    settings: { rateLimits: { store: 'memory', perMinute } },
    server: { trustProxy },
    controllers,
  });
}

const limitOf = (response: { headers: Record<string, unknown> }) => response.headers['ratelimit-limit'];

describe('request limits', () => {
  it('default: counts down and refuses with Retry-After', async () => {
    await start();
    const remaining = [];
    for (let call = 0; call < 2; call += 1) {
      const { statusCode, headers } = await server.post('/v1/yield/discover', {});
      expect(statusCode).toBe(200);
      expect(headers['ratelimit-limit']).toBe('2');
      expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(0);
      remaining.push(headers['ratelimit-remaining']);
    }
    expect(remaining).toEqual(['1', '0']);
    const refused = await server.post('/v1/yield/discover', {});
    const body = expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(body.details).toEqual({ limit: 2, windowSeconds: 60 });
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '0' });
    expect(refused.headers['retry-after']).toBe(refused.headers['ratelimit-reset']);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(server.calls.discover).toHaveLength(2);
  });

  it('behavior: a batch counts as its wallets; one that is too large is refused, counts once, and its headers count down', async () => {
    await start();
    const batch = (wallets: number) =>
      server.post('/v1/yield/status/batch', {
        userAddresses: Array<string>(wallets).fill(examples.agentAddress),
      });
    const refused = await batch(4);
    const { nextAction } = expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
    expect(nextAction).toContain('at most 2 ');
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(server.calls.status).toEqual([]);
    const served = await batch(2);
    expect([served.statusCode, served.headers['ratelimit-remaining']]).toEqual([200, '0']);
    expectError(await server.get('/v1/yield/status'), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('behavior: a batch with a wrong body counts once', async () => {
    await start();
    const remaining = [];
    for (const userAddresses of [[], Array(51).fill(''), 'text'])
      remaining.push(
        (await server.post('/v1/yield/status/batch', { userAddresses })).headers['ratelimit-remaining'],
      );
    expect(remaining).toEqual(['2', '1', '0']);
  });

  it('behavior: each route group has its own limit', async () => {
    await start();
    const responses = await Promise.all([
      server.post('/v1/yield/discover', {}),
      server.get('/v1/yield/status'),
      server.get('/v1/yield/history'),
      server.post('/v1/yield/prepare', {}),
      server.post('/v1/yield/execute', {}),
      server.post('/v1/yield/setup-relay', {}),
      server.get('/v1/testing/fork-status'),
      server.get('/nowhere'),
    ]);
    expect(responses.map(limitOf)).toEqual(['2', '3', '4', '5', '6', '7', '8', '9']);
    const remaining = responses.map(({ headers }) => headers['ratelimit-remaining']);
    expect(remaining).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  it('behavior: the catalogue, its vaults and history are one group', async () => {
    await start();
    const paths = ['/v1/yield/vaults', '/v1/yield/vaults/1', '/v1/yield/history?vaultId=1'];
    const responses = [];
    for (const path of paths) responses.push(await server.get(path));
    expect(responses.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['3', '2', '1']);
  });

  it.each([
    ['an unreadable body', '{', 'application/json', 400, 'INVALID_PARAMETERS'],
    ['a body of another type', '{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a body that is too large', 'x'.repeat(300_000), 'application/json', 413, 'BODY_TOO_LARGE'],
  ] as const)(
    'behavior: %s counts, and is refused like any other',
    async (_, payload, type, status, code) => {
      await start();
      const send = () => server.postRaw('/v1/yield/discover', payload, { 'content-type': type });
      const first = await send();
      expectError(first, status, code);
      expect(first.headers['ratelimit-remaining']).toBe('1');
      await send();
      expectError(await send(), 429, 'RATE_LIMIT_EXCEEDED');
    },
  );

  it('behavior: health, readiness and metrics are not limited', async () => {
    await start();
    for (const path of ['/health', '/health/ready', '/metrics']) {
      for (let call = 0; call < 12; call += 1) {
        const { statusCode, headers } = await server.get(path);
        expect(statusCode).toBe(200);
        expect(headers['ratelimit-limit']).toBeUndefined();
      }
    }
  });

  it('behavior: a route without a group has the limit of others', async () => {
    await start(0, [AddedController]);
    expect(limitOf(await server.get('/v1/added'))).toBe('9');
  });

  it('behavior: the document shows which routes have a limit', async () => {
    await start();
    const { paths } = (await server.get('/openapi.json')).json<OpenAPIObject>();
    for (const [url, item] of Object.entries(paths)) {
      const [operation, method] = item.post ? [item.post, 'POST' as const] : [item.get, 'GET' as const];
      const limit = limitOf(await server.app.inject({ method, url }));
      expect([url, limit !== undefined]).toEqual([url, '429' in (operation?.responses ?? {})]);
    }
  });

  it('behavior: clients are distinguished by their connection', async () => {
    await start();
    const from = (remoteAddress: string, headers = {}) =>
      server.app.inject({ method: 'GET', url: '/v1/yield/status', remoteAddress, headers });
    for (let call = 0; call < 3; call += 1) expect((await from('10.0.0.1')).statusCode).toBe(400);
    expect((await from('10.0.0.1')).statusCode).toBe(429);
    expect((await from('10.0.0.1', { 'x-forwarded-for': '10.9.9.9' })).statusCode).toBe(429);
    expect((await from('10.0.0.2')).statusCode).toBe(400);
  });

  it.each<[string, ServerSettings['server']['trustProxy'], string]>([
    ['one proxy', 1, ''],
    ['two proxies', 2, ', 10.1.1.1'],
    ['a proxy by its address', ['127.0.0.1'], ''],
    ['proxies by their ranges', ['loopback', '10.1.0.0/16'], ', 10.1.1.1'],
  ])('behavior: behind %s clients are distinguished by X-Forwarded-For', async (_, trustProxy, byProxies) => {
    await start(trustProxy);
    // Entries of the client itself are further left.
    const from = (client: string, forged = '') =>
      server.get('/v1/yield/status', { 'x-forwarded-for': `${forged}${client}${byProxies}` });
    for (let call = 0; call < 3; call += 1) expect((await from('203.0.113.1')).statusCode).toBe(400);
    expect((await from('203.0.113.1')).statusCode).toBe(429);
    expect((await from('203.0.113.1', '203.0.113.9, ')).statusCode).toBe(429);
    expect((await from('203.0.113.2')).statusCode).toBe(400);
  });

  it.each([
    ['the port', (call: number) => `203.0.113.9:${40_000 + call}`],
    ['the port to IPv6', (call: number) => `[2001:db8::9]:${40_000 + call}`],
    ['no address', (call: number) => `unknown-${call}`],
  ])('attack: behind a proxy that appends %s one client has one limit', async (_, entry) => {
    await start(1);
    const statuses = [];
    for (let call = 0; call < 4; call += 1) {
      const { statusCode } = await server.get('/v1/yield/status', { 'x-forwarded-for': entry(call) });
      statuses.push(statusCode);
    }
    expect(statuses).toEqual([400, 400, 400, 429]);
  });

  it('attack: a client that bypasses a proxy known by address cannot name another client', async () => {
    await start(['10.1.0.0/16']);
    const from = (client: string) => server.get('/v1/yield/status', { 'x-forwarded-for': client });
    for (let call = 0; call < 3; call += 1) expect((await from(`203.0.113.${call}`)).statusCode).toBe(400);
    expect((await from('203.0.113.7')).statusCode).toBe(429);
  });
});
