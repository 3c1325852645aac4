import type { ServerSettings } from '../../src/settings.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

const few = (trustProxy: ServerSettings['server']['trustProxy'] = 0) => {
  const settings = buildSettings();
  return {
    server: { ...settings.server, trustProxy },
    rateLimits: {
      store: 'memory' as const,
      perMinute: {
        discover: 2,
        status: 3,
        history: 4,
        prepare: 5,
        execute: 6,
        setupRelay: 7,
        testing: 8,
        other: 9,
      },
    },
  };
};

let server: TestServer;
afterEach(() => server.close());

const limitOf = (response: { headers: Record<string, unknown> }) => response.headers['ratelimit-limit'];

describe('request limits', () => {
  it('default: counts down and refuses with Retry-After', async () => {
    server = await startServer({ settings: few() });
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

  it('behavior: each route group has its own limit', async () => {
    server = await startServer({ settings: few() });
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
  });

  it('behavior: the catalogue, its vaults and history are one group', async () => {
    server = await startServer({ settings: few() });
    const paths = ['/v1/yield/vaults', '/v1/yield/vaults/1', '/v1/yield/history?vaultId=1'];
    const responses = [];
    for (const path of paths) responses.push(await server.get(path));
    expect(responses.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['3', '2', '1']);
  });

  it('behavior: refused requests count', async () => {
    server = await startServer({ settings: few() });
    expectError(await server.postRaw('/v1/yield/discover', '{'), 400, 'INVALID_PARAMETERS');
    expectError(
      await server.postRaw('/v1/yield/discover', '{}', { 'content-type': 'text/plain' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    expectError(await server.post('/v1/yield/discover', {}), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('behavior: bodies that are too large count and are refused like any other', async () => {
    server = await startServer({ settings: few() });
    const large = 'x'.repeat(300_000);
    const first = await server.postRaw('/v1/yield/discover', large);
    expectError(first, 413, 'BODY_TOO_LARGE');
    expect(first.headers['ratelimit-remaining']).toBe('1');
    expectError(await server.post('/v1/yield/discover', { limit: 0 }), 400, 'INVALID_PARAMETERS');
    expectError(await server.postRaw('/v1/yield/discover', large), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('behavior: health, readiness, metrics and the document are not limited', async () => {
    server = await startServer({ settings: few() });
    for (const path of ['/health', '/health/ready', '/metrics', '/openapi.json']) {
      for (let call = 0; call < 12; call += 1) {
        const { statusCode, headers } = await server.get(path);
        expect(statusCode).toBe(200);
        expect(headers['ratelimit-limit']).toBeUndefined();
      }
    }
  });

  it('behavior: clients are distinguished by their connection', async () => {
    server = await startServer({ settings: few() });
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
    server = await startServer({ settings: few(trustProxy) });
    // Entries of the client itself are further left.
    const from = (client: string, forged = '') =>
      server.get('/v1/yield/status', { 'x-forwarded-for': `${forged}${client}${byProxies}` });
    for (let call = 0; call < 3; call += 1) expect((await from('203.0.113.1')).statusCode).toBe(400);
    expect((await from('203.0.113.1')).statusCode).toBe(429);
    expect((await from('203.0.113.1', '203.0.113.9, ')).statusCode).toBe(429);
    expect((await from('203.0.113.2')).statusCode).toBe(400);
  });

  it('attack: a client that bypasses a proxy known by address cannot name another client', async () => {
    server = await startServer({ settings: few(['10.1.0.0/16']) });
    const from = (client: string) => server.get('/v1/yield/status', { 'x-forwarded-for': client });
    for (let call = 0; call < 3; call += 1) expect((await from(`203.0.113.${call}`)).statusCode).toBe(400);
    expect((await from('203.0.113.7')).statusCode).toBe(429);
  });
});
