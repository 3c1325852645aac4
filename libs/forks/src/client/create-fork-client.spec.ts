import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  errorCatalogue,
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  FundingFailedError,
  UpstreamUnavailableError,
  type ErrorCode,
} from '@yield-vault/protocol';
import { listen, type RunningServer } from '@yield-vault/testing';
import { RpcRequestError } from 'viem';
import { createForkClient, type ForkClient } from './create-fork-client.js';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

type Answer = (response: ServerResponse, request: Request) => void;

const adminCredential = 'the-credential-of-the-tests';
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const wireFork = {
  id: 'base-1',
  kind: 'persistent',
  chain: 'base',
  chainId: 8453,
  status: 'running',
  forkBlock: '7',
  createdAt: '2026-01-01T00:00:00.000Z',
  rpcPath: '/rpc/base',
};

/** The wire of a fork service: the next answers are given one after the other, the last one stays. */
const requests: Request[] = [];
let responses: Answer[] = [];
let url: string;
const server = createServer((message, response) => {
  void read(message).then((body) => {
    const { method = '', url: path = '', headers } = message;
    const request = { method, path, headers, body };
    requests.push(request);
    const respond = responses.length > 1 ? responses.shift() : responses[0];
    respond?.(response, request);
  });
});
async function read(message: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
}

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));
const nothing: Answer = (response) => void response.writeHead(204).end();
const silence: Answer = () => undefined;
const cut: Answer = (response) => void response.destroy();
const refusal = (code: ErrorCode, status: number, details: object = {}, cure: object = {}): Answer =>
  json(
    {
      statusCode: status,
      ...errorCatalogue[code],
      code,
      detail: 'What was wrong.',
      details,
      requestId: 'x',
      ...cure,
    },
    status,
    { 'retry-after': '7' },
  );

let running: RunningServer;
let provider: ForkClient;
beforeAll(async () => {
  running = await listen(server);
  url = `http://127.0.0.1:${running.port}`;
});
beforeEach(() => {
  requests.length = 0;
  responses = [json(wireFork)];
  provider = createForkClient({ provider: 'service', url, adminCredential, timeoutMs: 5_000 });
});
afterEach(() => provider.close());
afterAll(() => running.stop());

const thrownBy = async (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: unknown) => error,
  );

describe('createForkClient', () => {
  it('error: ForksNotConfiguredError for each call that needs a fork, where no service is configured', async () => {
    const none = createForkClient({ provider: 'none' });
    for (const call of [none.persistent('base'), none.create('base')])
      expect(await thrownBy(call)).toBeInstanceOf(ForksNotConfiguredError);
    expect(() => none.rpcUrl('base')).toThrow(ForksNotConfiguredError);
    expect([await none.list(), (await none.health()).status]).toEqual([[], 'unavailable']);
  });

  it('default: opens forks with the credential', async () => {
    const fork = await provider.persistent('base');
    expect(fork).toMatchObject({
      id: 'base-1',
      kind: 'persistent',
      chainId: 8453,
      forkBlock: 7n,
      createdAt: Date.UTC(2026, 0, 1),
      rpcUrl: `${url}/rpc/base`,
    });
    expect(fork.rpcUrl).toBe(provider.rpcUrl('base'));
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/forks',
        headers: { authorization: `Bearer ${adminCredential}` },
        body: { chain: 'base', kind: 'persistent' },
      },
    ]);
  });

  it('default: every method of a fork works over HTTP', async () => {
    const fork = await provider.create('base');
    responses = [
      json({ jsonrpc: '2.0', id: 1, result: '0x7' }),
      json({ ethWei: '5', usdcBaseUnits: '6' }),
      json({ jsonrpc: '2.0', id: 1, result: null }),
      nothing,
    ];
    expect(await fork.request('eth_blockNumber')).toBe('0x7');
    expect(await fork.fund({ address: wallet, ethWei: 5n, usdcBaseUnits: 6n })).toEqual({
      ethWei: 5n,
      usdcBaseUnits: 6n,
    });
    await fork.mine(3);
    await provider.destroy(fork.id);
    expect(requests.slice(1).map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/forks/base-1/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }],
      ['POST', '/v1/forks/base-1/fund', { address: wallet, ethWei: '5', usdcBaseUnits: '6' }],
      ['POST', '/v1/forks/base-1/rpc', { jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x3'] }],
      ['DELETE', '/v1/forks/base-1', undefined],
    ]);
  });

  it('behavior: an address with a path keeps it', async () => {
    await provider.close();
    provider = createForkClient({ provider: 'service', url: `${url}/forks/`, adminCredential });
    await provider.persistent('base');
    expect(requests[0]?.path).toBe('/forks/v1/forks');
    expect(provider.rpcUrl('base')).toBe(`${url}/forks/rpc/base`);
  });

  it('behavior: a fork that is not there', async () => {
    const fork = await provider.persistent('base');
    responses = [refusal('NOT_FOUND', 404)];
    expect(await provider.find('base-9')).toBeUndefined();
    await provider.destroy('base-9');
    expect(await thrownBy(fork.mine(1))).toBeInstanceOf(ForkNotRunningError);
  });

  it('error: UpstreamUnavailableError where no service makes forks', async () => {
    responses = [refusal('NOT_FOUND', 404)];
    const error = await thrownBy(provider.persistent('base'));
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({ details: { dependency: 'fork-service' } });
  });

  it.each<[ErrorCode, number, new (...args: never[]) => Error]>([
    ['FORK_CAPACITY', 503, ForkCapacityError],
    ['FUNDING_FAILED', 503, FundingFailedError],
    ['UPSTREAM_UNAVAILABLE', 503, UpstreamUnavailableError],
    ['CHAIN_NOT_ACTIVE', 400, ForksNotConfiguredError],
  ])('error: %s passes through', async (code, status, errorClass) => {
    responses = [refusal(code, status, { some: 'thing' })];
    const error = await thrownBy(provider.create('base'));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({
      detail: 'What was wrong.',
      details: { some: 'thing' },
      retryAfterSeconds: 7,
    });
  });

  it('behavior: an occurrence keeps its own cure, and whether it may succeed later', async () => {
    const cure = { retryable: false, nextAction: 'Use another wallet.' };
    responses = [refusal('FUNDING_FAILED', 503, {}, cure)];
    expect(await thrownBy(provider.create('base'))).toMatchObject(cure);
  });

  it.each([401, 403])('error: UpstreamUnavailableError when %d refuses the credential', async (status) => {
    responses = [refusal('UNAUTHORIZED', status)];
    const error = await thrownBy(provider.persistent('base'));
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({ details: { dependency: 'fork-service' } });
    expect(String((error as Error).cause)).toContain('adminCredential');
    expect(JSON.stringify([error, String((error as Error).cause)])).not.toContain(adminCredential);
  });

  it('error: RpcRequestError of the fork', async () => {
    const fork = await provider.persistent('base');
    const rpcError = { code: 3, message: 'execution reverted', data: '0x12' };
    responses = [json({ jsonrpc: '2.0', id: 1, error: rpcError })];
    const error = await thrownBy(fork.request('eth_call'));
    expect(error).toBeInstanceOf(RpcRequestError);
    expect(error).toMatchObject({ code: 3, details: 'execution reverted', data: '0x12' });
  });

  it.each<[string, Answer, new (...args: never[]) => Error]>([
    ['no JSON', (response) => void response.end('<html>'), UpstreamUnavailableError],
    ['another shape', json({ ...wireFork, forkBlock: 7 }), UpstreamUnavailableError],
    ['404 of something else', json({}, 404), UpstreamUnavailableError],
    ['502 of a balancer', (response) => void response.writeHead(502).end('bad gateway'), ForkNotRunningError],
    ['a cut connection', cut, ForkNotRunningError],
  ])('error: %s', async (_name, respond, errorClass) => {
    responses = [respond];
    const acts = [
      () => provider.persistent('base'),
      () => provider.create('base'),
      () => provider.find('base-1'),
    ];
    for (const act of acts) {
      const error = await thrownBy(act());
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toMatchObject({ retryable: true, details: { dependency: 'fork-service' } });
    }
  });

  it('error: ForkNotRunningError when the service is silent', async () => {
    await provider.close();
    provider = createForkClient({ provider: 'service', url, adminCredential, timeoutMs: 100 });
    responses = [silence];
    expect(await thrownBy(provider.persistent('base'))).toBeInstanceOf(ForkNotRunningError);
    // It may have worked: what timed out is not repeated.
    expect(requests).toHaveLength(1);
  });

  it('error: ForkNotRunningError when nothing listens', async () => {
    const gone = createForkClient({ provider: 'service', url: 'http://127.0.0.1:9', adminCredential });
    expect(await thrownBy(gone.list())).toBeInstanceOf(ForkNotRunningError);
    expect(await gone.health()).toEqual({
      status: 'unavailable',
      activeForks: 0,
      maxForks: null,
      version: '',
    });
    await gone.close();
  });

  it('behavior: a caller that gives up ends the call', async () => {
    responses = [silence];
    const opening = thrownBy(provider.create('base', { signal: AbortSignal.timeout(50) }));
    expect(await opening).toBeInstanceOf(ForkNotRunningError);
  });

  it.each<[string, (forks: ForkClient) => Promise<unknown>, boolean]>([
    ['list', (forks) => forks.list(), true],
    ['find', (forks) => forks.find('base-1'), true],
    ['persistent', (forks) => forks.persistent('base'), true],
    ['destroy', (forks) => forks.destroy('base-1'), true],
    ['create', (forks) => forks.create('base'), false],
  ])('behavior: %s over a cut connection', async (_name, act, isRepeated) => {
    const good = { list: json({ forks: [] }), destroy: nothing }[_name] ?? json(wireFork);
    responses = [cut, good];
    if (isRepeated) await act(provider);
    else expect(await thrownBy(act(provider))).toBeInstanceOf(ForkNotRunningError);
    expect(requests).toHaveLength(isRepeated ? 2 : 1);
  });
});
