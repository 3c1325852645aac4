import { once } from 'node:events';
import type { Fork } from '@yield-vault/forks';
import {
  ForkCapacityError,
  ForkNotRunningError,
  FundingFailedError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { expectError } from '../support/expect-error.js';
import { buildFork, fakeProvider } from '../support/fake-provider.js';
import { startService, type TestService } from '../support/start-service.js';

const address = `0x${'11'.repeat(20)}`;
const provider = fakeProvider();
let service: TestService;
beforeAll(async () => {
  service = await startService(provider);
});
afterAll(() => service.close());

/** Start a service with some parts replaced, use it, and stop it. */
async function withService(
  replaced: Parameters<typeof startService>,
  use: (service: TestService) => Promise<void>,
): Promise<void> {
  const other = await startService(...replaced);
  try {
    await use(other);
  } finally {
    await other.close();
  }
}

describe('input', () => {
  it.each<[path: string, body: unknown, fields: string[]]>([
    ['/v1/forks', {}, ['chain', 'kind']],
    ['/v1/forks', { chain: '', kind: 'persistent' }, ['chain']],
    ['/v1/forks', { chain: 'base', kind: 'other' }, ['kind']],
    ['/v1/forks', { chain: 7, kind: 'persistent' }, ['chain']],
    ['/v1/forks', { chain: 'base', kind: 'persistent', block: 1 }, ['block']],
    ['/v1/forks', [], ['body']],
    ['/v1/forks/base-1/fund', { ethWei: '1' }, ['address']],
    ['/v1/forks/base-1/fund', { address }, ['address']],
    ['/v1/forks/base-1/fund', { address: '0x12', ethWei: '1' }, ['address']],
    ['/v1/forks/base-1/fund', { address, ethWei: 1 }, ['ethWei']],
    ['/v1/forks/base-1/fund', { address, ethWei: '-1' }, ['ethWei']],
    ['/v1/forks/base-1/fund', { address, usdcBaseUnits: '1.5' }, ['usdcBaseUnits']],
    ['/v1/forks/base-1/fund', { address, ethWei: '9'.repeat(39) }, ['ethWei']],
    ['/v1/forks/base-1/fund', { address, ethWei: null }, ['ethWei']],
    ['/v1/forks/base-1/rpc', {}, ['method']],
    ['/v1/forks/base-1/rpc', { method: 'evm_mine', params: {} }, ['params']],
    ['/v1/forks?chain=base', { chain: 'base', kind: 'persistent' }, ['chain']],
  ])('error: InvalidParametersError for POST %s %j', async (path, body, fields) => {
    const asked = provider.asked.length;
    const details = expectError(await service.call('POST', path, body), 400, 'INVALID_PARAMETERS');
    expect((details['violations'] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
    expect(provider.asked).toHaveLength(asked);
  });

  it('error: ChainNotActiveError with the chains that there are', async () => {
    const response = await service.call('POST', '/v1/forks', { chain: 'nope', kind: 'persistent' });
    expect(expectError(response, 400, 'CHAIN_NOT_ACTIVE')).toEqual({ supportedChains: ['base', 'ethereum'] });
  });

  it.each([
    ['GET', '/v1/forks/base-9', undefined],
    ['POST', '/v1/forks/base-9/fund', { address, ethWei: '1' }],
    ['POST', '/v1/forks/base-9/rpc', { method: 'evm_mine' }],
    ['GET', '/v1/nothing', undefined],
    ['DELETE', '/v1/forks', undefined],
  ] as const)('error: NotFoundError for %s %s', async (method, path, body) => {
    expectError(await service.call(method, path, body), 404, 'NOT_FOUND');
  });

  it('behavior: ending a fork that is gone is no error', async () => {
    expect((await service.call('DELETE', '/v1/forks/base-9')).status).toBe(204);
  });

  it('error: BodyTooLargeError above 2 MiB', async () => {
    const body = { method: 'x', params: ['y'.repeat(2 * 2 ** 20)] };
    expectError(await service.call('POST', '/v1/forks/base-1/rpc', body), 413, 'BODY_TOO_LARGE');
    expectError(await service.call('POST', '/rpc/base', body), 413, 'BODY_TOO_LARGE');
  });

  it('error: UnsupportedMediaTypeError for another media type', async () => {
    const options = { raw: 'chain=base', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    for (const path of ['/v1/forks', '/rpc/base']) {
      expectError(await service.call('POST', path, undefined, options), 415, 'UNSUPPORTED_MEDIA_TYPE');
    }
  });
});

describe('values', () => {
  it('default: amounts reach the fork as they were sent', async () => {
    await service.call('POST', '/v1/forks/base-1/fund', { address, ethWei: '10000000000000000' });
    expect(provider.asked.at(-1)).toEqual(['fund', { address, ethWei: 10n ** 16n }]);
  });

  it('default: the record of a fork', async () => {
    const { json } = await service.call('GET', '/v1/forks/base-1');
    expect(json).toEqual({
      id: 'base-1',
      kind: 'persistent',
      chain: 'base',
      chainId: 8453,
      status: 'running',
      forkBlock: '7',
      createdAt: '2026-01-01T00:00:00.000Z',
      rpcPath: '/rpc/base',
    });
  });

  it('behavior: the address of the process is not shown', async () => {
    const { text } = await service.call('POST', '/v1/forks', { chain: 'base', kind: 'ephemeral' });
    expect(text).not.toContain('127.0.0.1');
    expect(JSON.parse(text)).toMatchObject({ id: 'base-2', rpcPath: '/rpc/forks/base-2' });
  });
});

describe('failures', () => {
  let thrown: Error;
  let failing: TestService;
  const fail = () => Promise.reject(thrown);
  beforeAll(async () => {
    failing = await startService(fakeProvider({ persistent: fail }, { fund: fail, request: fail }));
  });
  afterAll(() => failing.close());
  const open = () => failing.call('POST', '/v1/forks', { chain: 'base', kind: 'persistent' });

  it.each([
    [new ForkCapacityError({ detail: 'Full.', retryAfterSeconds: 9 }), 'FORK_CAPACITY'],
    [new ForkNotRunningError({ detail: 'Gone.' }), 'FORK_NOT_RUNNING'],
    [new UpstreamUnavailableError({ detail: 'Down.' }), 'UPSTREAM_UNAVAILABLE'],
  ] as const)('error: %s of opening a fork', async (error, code) => {
    thrown = error;
    expectError(await open(), 503, code);
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };
    const plain = await failing.call('POST', '/rpc/base', body);
    expect(plain.status).toBe(503);
    expect(Number(plain.headers.get('retry-after'))).toBeGreaterThan(0);
    const { text } = await failing.call('GET', '/metrics');
    expect(text).toContain(
      `fork_service_fork_failures_total{operation="persistent",chain="base",code="${code}"} 2`,
    );
  });

  it('error: FundingFailedError passes through', async () => {
    thrown = new FundingFailedError({ detail: 'Blacklisted.' });
    const response = await failing.call('POST', '/v1/forks/base-1/fund', { address, ethWei: '1' });
    expectError(response, 503, 'FUNDING_FAILED');
  });

  it('error: an unexpected error is 500 without its text', async () => {
    thrown = new Error('http://user:secret@rpc.example');
    const response = await open();
    expectError(response, 500, 'INTERNAL');
    expect(response.text).not.toContain('secret');
  });

  it('behavior: a refused call passes the fork’s message on', async () => {
    const error = { code: -32003, message: 'Insufficient funds', data: '0x12' };
    thrown = new RpcRequestError({ body: {}, error, url: 'http://127.0.0.1:1' });
    const called = await failing.call('POST', '/v1/forks/base-1/rpc', { id: 'a', method: 'eth_call' });
    expect(called).toMatchObject({ status: 200, json: { jsonrpc: '2.0', id: 'a', error } });
  });

  it('error: UpstreamUnavailableError on every route once its deadline is over', async () => {
    const never = () => new Promise<never>(() => undefined);
    const stalled = fakeProvider(
      { persistent: never, create: never, list: never, destroy: never },
      { fund: never, request: never },
    );
    await withService([stalled, { requestTimeoutSeconds: 0.2 }], async ({ call }) => {
      const responses = await Promise.all([
        call('POST', '/v1/forks', { chain: 'base', kind: 'persistent' }),
        call('POST', '/v1/forks', { chain: 'base', kind: 'ephemeral' }),
        call('GET', '/v1/forks'),
        call('DELETE', '/v1/forks/base-1'),
        call('POST', '/v1/forks/base-1/fund', { address, ethWei: '1' }),
        call('POST', '/v1/forks/base-1/rpc', { method: 'evm_mine' }),
        call('POST', '/rpc/base', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
      ]);
      for (const response of responses) {
        expect(expectError(response, 503, 'UPSTREAM_UNAVAILABLE')).toEqual({
          dependency: 'request-deadline',
        });
      }
    });
  });

  it('behavior: an ephemeral fork is abandoned when its client disconnects', async () => {
    const signals: AbortSignal[] = [];
    let create: (fork: Fork) => void = () => undefined;
    const slow = fakeProvider({
      create: (_chain, { signal } = {}) => {
        signals.push(signal!);
        return new Promise((resolve) => {
          create = resolve;
        });
      },
    });
    await withService([slow, { requestTimeoutSeconds: 0.2 }], async ({ call }) => {
      const response = await call('POST', '/v1/forks', { chain: 'base', kind: 'ephemeral' });
      expectError(response, 503, 'UPSTREAM_UNAVAILABLE');
      const [gone] = signals;
      if (!gone?.aborted) await once(gone!, 'abort');
      create(buildFork({ id: 'base-3', kind: 'ephemeral' }));
      await new Promise(setImmediate);
      expect(slow.asked).toEqual([['destroy', 'base-3']]);
    });
  });
});

describe('RPC', () => {
  it('error: a chain that is not there', async () => {
    const { status, json } = await service.call('POST', '/rpc/nope', { jsonrpc: '2.0', id: 1, method: 'x' });
    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { code: -32001 } });
  });

  it('error: a fork that is not there', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' };
    expect((await service.call('POST', '/rpc/forks/base-9', body)).status).toBe(404);
  });

  it.each(['anvil_setBalance', 'evm_mine', 'eth_sendTransaction'])(
    'error: %s is for operators',
    async (method) => {
      const { status, json } = await service.call('POST', '/rpc/base', { jsonrpc: '2.0', id: 1, method });
      expect(status).toBe(200);
      expect(json).toMatchObject({ id: 1, error: { code: expect.any(Number) as number } });
    },
  );

  it('attack: a body that is nested too deep to be written again', async () => {
    const call = `{"id":2,"method":"eth_call","params":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    for (const raw of [call, `[{"id":1,"method":"evm_mine"},${call}]`])
      expectError(await service.call('POST', '/rpc/base', undefined, { raw }), 400, 'INVALID_PARAMETERS');
  });

  it('error: InvalidParametersError for invalid JSON', async () => {
    expectError(await service.call('POST', '/rpc/base', undefined, { raw: '{' }), 400, 'INVALID_PARAMETERS');
  });
});

describe('health', () => {
  it('default: the versions of the service and of the forks', async () => {
    const { json } = await service.call('GET', '/health', undefined, { authorization: undefined });
    expect(json).toEqual({
      status: 'healthy',
      version: 'fork-service/v0.1.0',
      backend: 'anvil/v1.7.1',
      activeForks: 1,
      maxForks: 32,
    });
  });

  it('behavior: 200 in any state of the forks', async () => {
    const health = () =>
      Promise.resolve({ status: 'unavailable', activeForks: 0, maxForks: null, version: '' } as const);
    await withService([fakeProvider({ health })], async ({ call }) => {
      expect((await call('GET', '/health')).json).toMatchObject({ status: 'unavailable', maxForks: null });
    });
  });
});

describe('metrics', () => {
  it('default: forks, creations and RPC requests', async () => {
    const provider = fakeProvider({
      list: () => Promise.resolve([buildFork(), buildFork({ id: 'base-2', kind: 'ephemeral' })]),
    });
    await withService([provider], async ({ call }) => {
      for (let round = 0; round < 2; round++) {
        await call('POST', '/v1/forks', { chain: 'base', kind: 'persistent' });
        await call('POST', '/v1/forks', { chain: 'base', kind: 'ephemeral' });
        await call('POST', '/rpc/base', { jsonrpc: '2.0', id: 1, method: 'evm_mine' });
        await call('POST', `/rpc/${'x'.repeat(50)}`, { jsonrpc: '2.0', id: 1, method: 'evm_mine' });
      }
      const { text } = await call('GET', '/metrics');
      expect(text).toContain('fork_service_forks{chain="base",kind="persistent",status="running"} 1');
      expect(text).toContain('fork_service_forks{chain="base",kind="ephemeral",status="running"} 1');
      // The persistent one was there already at the second call.
      expect(text).toContain('fork_service_fork_creation_seconds_count{chain="base",kind="persistent"} 1');
      expect(text).toContain('fork_service_fork_creation_seconds_count{chain="base",kind="ephemeral"} 2');
      expect(text).toContain('fork_service_rpc_requests_total{target="base",status="200"} 2');
      expect(text).toContain('fork_service_rpc_requests_total{target="unknown",status="404"} 2');
      expect(text).toContain(
        'fork_service_http_request_duration_seconds_count{method="POST",route="/v1/forks"',
      );
    });
  });
});

describe('closing', () => {
  it('default: the forks end with the service', async () => {
    const ending = fakeProvider();
    const other = await startService(ending);
    await other.close();
    expect(ending.asked).toEqual([['close']]);
  });
});
