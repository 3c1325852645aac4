import type { ChainProbe } from '../../src/modules/health/create-health-monitor.js';
import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
import { fakeDatabase, fakeFeatures, type Features } from '../support/fake-features.js';
import { startServer, type TestServer } from '../support/start-server.js';

let server: TestServer;
afterEach(() => server.close());

const never = <T>() => new Promise<T>(() => undefined);
const quick = { intervalMs: 10, startIntervalMs: 10, deadlineMs: 30 };
const discovery = (overrides: Partial<Features['discovery']>) => ({
  ...fakeFeatures().features.discovery,
  ...overrides,
});

async function until<T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (fits(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const untilOk = () =>
  until(
    () => server.get('/health'),
    (r) => r.json<{ status: string }>().status === 'ok',
  );
const untilReady = () =>
  until(
    () => server.get('/health/ready'),
    (r) => r.statusCode === 200,
  );

describe('GET /health', () => {
  it('default: exactly the documented fields', async () => {
    server = await startServer();
    const response = await untilOk();
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      status: 'ok',
      version: '0.1.0',
      environment: 'local',
      uptimeSeconds: expect.any(Number) as number,
      preflightMode: 'off',
      paymentEnforcement: 'off',
      freshness: { snapshotFreshnessStatus: 'healthy', latestSnapshotAt: '2026-01-01T00:00:00.000Z' },
      paused: ['chain:base'],
      chains: {
        base: { chainId: 8453, blockNumber: 7, rpc: 'ok', bundler: 'ok', reasons: [] },
        ethereum: { chainId: 1, blockNumber: 7, rpc: 'ok', bundler: 'ok', reasons: [] },
      },
    });
  });

  it('behavior: responds at once while every dependency hangs', async () => {
    server = await startServer({
      features: {
        probeChain: () => never<ChainProbe>(),
        database: { ...fakeDatabase, ping: () => never<void>(), close: () => Promise.resolve() },
        discovery: discovery({
          isRanked: () => false,
          freshness: () => ({ snapshotFreshnessStatus: 'critical', latestSnapshotAt: null }),
        }),
      },
      health: quick,
    });
    const before = performance.now();
    const response = await server.get('/health');
    expect(performance.now() - before).toBeLessThan(1000);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      status: 'degraded',
      freshness: { snapshotFreshnessStatus: 'critical', latestSnapshotAt: null },
      chains: { base: { blockNumber: null, rpc: 'down', bundler: 'down' } },
    });
  });

  it.each<[string, Partial<Features>, object]>([
    [
      'an RPC is down',
      { probeChain: () => Promise.resolve({ blockNumber: null, rpc: 'down', bundler: 'ok', bundlers: {} }) },
      { chains: { base: { rpc: 'down', bundler: 'ok' } } },
    ],
    [
      'a bundler is down',
      { probeChain: () => Promise.resolve({ blockNumber: 7, rpc: 'ok', bundler: 'down', bundlers: {} }) },
      { chains: { base: { rpc: 'ok', bundler: 'down' } } },
    ],
    [
      'a probe throws',
      { probeChain: () => Promise.reject(new Error('boom')) },
      { chains: { base: { rpc: 'down' } } },
    ],
    [
      'the ranking is stale',
      {
        discovery: discovery({
          freshness: () => ({
            snapshotFreshnessStatus: 'stale',
            latestSnapshotAt: '2026-01-01T00:00:00.000Z',
          }),
        }),
      },
      { freshness: { snapshotFreshnessStatus: 'stale' } },
    ],
  ])('behavior: degraded when %s', async (_name, features, expected) => {
    server = await startServer({ features, health: quick });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await server.get('/health')).json()).toMatchObject({ status: 'degraded', ...expected });
  });

  it('behavior: ok where no bundler is configured', async () => {
    server = await startServer({
      features: {
        probeChain: () => Promise.resolve({ blockNumber: 7, rpc: 'ok', bundler: 'off', bundlers: {} }),
      },
      health: quick,
    });
    await untilOk();
    expectOk(await server.get('/health/ready'));
  });

  it('behavior: a part that comes back is seen', async () => {
    let up = false;
    server = await startServer({
      features: {
        database: {
          ...fakeDatabase,
          ping: () => (up ? Promise.resolve() : Promise.reject(new Error('down'))),
        },
      },
      health: quick,
    });
    expect((await server.get('/health')).json()).toMatchObject({ status: 'degraded' });
    up = true;
    const seen = await untilOk();
    expect(seen.statusCode).toBe(200);
  });
});

describe('GET /health/ready', () => {
  it('default: ready', async () => {
    server = await startServer({ health: quick });
    const response = await untilReady();
    const chains = { base: { ready: true, reasons: [] }, ethereum: { ready: true, reasons: [] } };
    expect(response.json()).toEqual({ status: 'ready', chains });
  });

  it('behavior: ready while one chain serves, whatever the other lacks', async () => {
    server = await startServer({
      features: {
        probeChain: (key) =>
          Promise.resolve(
            key === 'base'
              ? { blockNumber: null, rpc: 'down', bundler: 'down', bundlers: {} }
              : { blockNumber: 7, rpc: 'ok', bundler: 'ok', bundlers: {} },
          ),
        discovery: discovery({ isRanked: (key) => key !== 'base' }),
      },
      health: quick,
    });
    const response = await untilReady();
    expect(response.json()).toEqual({
      status: 'ready',
      chains: {
        base: { ready: false, reasons: ['ranking:base', 'rpc:base', 'bundler:base'] },
        ethereum: { ready: true, reasons: [] },
      },
    });
    expect((await server.get('/health')).json()).toMatchObject({ status: 'degraded' });
    const { body } = await server.get('/metrics');
    expect(body).toContain('yield_vault_ready 1');
    expect(body).toContain('yield_vault_chain_ready{chain="base"} 0');
    expect(body).toContain('yield_vault_chain_ready{chain="ethereum"} 1');
  });

  it('error: UpstreamUnavailableError names the missing dependency', async () => {
    server = await startServer({
      features: {
        probeChain: (key) =>
          Promise.resolve({
            blockNumber: null,
            rpc: 'down',
            bundler: key === 'base' ? 'down' : 'ok',
            bundlers: {},
          }),
        database: {
          ...fakeDatabase,
          ping: () => Promise.reject(new Error('down')),
          close: () => Promise.resolve(),
        },
        discovery: discovery({ isRanked: () => false }),
      },
      health: quick,
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const response = await server.get('/health/ready');
    expect(expectError(response, 503, 'UPSTREAM_UNAVAILABLE').details).toEqual({
      dependency: 'database',
      waitingFor: [
        'database',
        'ranking:base',
        'rpc:base',
        'bundler:base',
        'ranking:ethereum',
        'rpc:ethereum',
      ],
    });
    expect(response.headers['retry-after']).toBe('1');
  });
});

describe('query parameters', () => {
  it.each(['/health', '/health/ready', '/metrics'])(
    'error: InvalidParametersError for one on %s',
    async (path) => {
      server = await startServer({ health: quick });
      expectViolations(await server.get(`${path}?x=1`), ['x']);
    },
  );
});

describe('GET /metrics', () => {
  it('default: counts requests by route pattern and errors by code', async () => {
    server = await startServer({ health: quick });
    await untilReady();
    await server.get('/v1/yield/status?userAddress=secret');
    await server.get('/somewhere/else');
    const { headers, body } = await server.get('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toContain(
      'yield_vault_http_request_duration_seconds_count{method="GET",route="/v1/yield/status",status="400"} 1',
    );
    expect(body).toContain('route="unmatched",status="404"} 1');
    expect(body).toContain('yield_vault_errors_total{code="INVALID_PARAMETERS"} 1');
    expect(body).toContain('yield_vault_ready 1');
    expect(body).toContain('yield_vault_upstream_up{dependency="bundler:base"} 1');
    expect(body).toContain('yield_vault_upstream_up{dependency="bundler:base:2"} 0');
    expect(body).toContain('yield_vault_chain_block_number{chain="ethereum"} 7');
    expect(body).not.toContain('somewhere');
    expect(body).not.toContain('secret');
  });

  it.each(['staging', 'preproduction', 'production'] as const)(
    'behavior: not on the port of the API in %s',
    async (environment) => {
      server = await startServer({ settings: { environment } });
      expectError(await server.get('/metrics'), 404, 'NOT_FOUND');
      expect((await server.get('/openapi.json')).body).not.toContain('"/metrics"');
    },
  );
});
