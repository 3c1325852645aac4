import { connect, createServer } from 'node:net';
import { ForkCapacityError, ForkNotRunningError, ForksNotConfiguredError } from '@yield-vault/protocol';
import { anvilKey, startAnvil, startFakeRpc, startTcpProxy, type Anvil } from '@yield-vault/testing';
import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import type { Fork } from '../types.js';
import { createForkRpcHandler, forkRpcBodyLimit } from './create-fork-rpc-handler.js';
import { startForkRpc, type ForkRpcServer } from '../../test/support/start-fork-rpc.js';

describe('the stable address of a fork', () => {
  let anvil: Anvil;
  let server: ForkRpcServer;
  let persistent: (chain: string) => Promise<Pick<Fork, 'rpcUrl'>>;
  const provider = {
    persistent: (chain: string) => persistent(chain),
    find: () => Promise.resolve(undefined),
  };
  const runningAt = (rpcUrl: string) => () => Promise.resolve({ rpcUrl });

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 8453 });
    server = await startForkRpc({ provider });
  });
  beforeEach(() => {
    persistent = runningAt(anvil.rpcUrl);
  });
  afterAll(async () => {
    await server.close();
    await anvil.stop();
  });

  const post = (body: unknown, init: RequestInit = {}) =>
    fetch(server.urlOf('base'), {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
    });
  const call = (method: string, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params: [] });

  it('default: clients work through it, batches included', async () => {
    const client = createPublicClient({ transport: http(server.urlOf('base'), { batch: true }) });
    const [chainId, block] = await Promise.all([client.getChainId(), client.getBlock()]);
    expect([chainId, block.number]).toEqual([8453, 0n]);
  });

  it('behavior: a batch with refused calls answers every one of them', async () => {
    const response = await post([call('eth_chainId', 1), call('anvil_mine', 2), call('eth_blockNumber', 3)]);
    const responses = (await response.json()) as { id: number; result?: string; error?: { code: number } }[];
    expect(responses.sort((a, b) => a.id - b.id)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x2105' },
      { jsonrpc: '2.0', id: 2, error: expect.objectContaining({ code: -32004 }) as object },
      { jsonrpc: '2.0', id: 3, result: '0x0' },
    ]);
  });

  it('behavior: the address stays while the fork behind it changes', async () => {
    const other = await startAnvil({ chainId: 1 });
    persistent = runningAt(other.rpcUrl);
    expect(await (await post(call('eth_chainId'))).json()).toMatchObject({ result: '0x1' });
    persistent = runningAt(anvil.rpcUrl);
    await other.stop();
    expect(await (await post(call('eth_chainId'))).json()).toMatchObject({ result: '0x2105' });
  });

  it.each([
    [new ForkNotRunningError({ detail: 'Gone.', retryAfterSeconds: 7 }), '7', 'Gone.'],
    [new ForkCapacityError({ detail: 'Full.' }), '1', 'Full.'],
    [new Error('http://secret'), '1', 'The fork is not available.'],
  ])('error: 503 with Retry-After while the fork is not available', async (error, retryAfter, message) => {
    persistent = () => Promise.reject(error);
    const response = await post(call('eth_chainId'));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, retryAfter]);
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32002, message } });
  });

  it('error: a response that is too long to be held in memory', async () => {
    const fake = await startFakeRpc({
      eth_chainId: () => '0x2105',
      eth_getLogs: () => '0'.repeat(65 * 2 ** 20),
    });
    persistent = runningAt(fake.rpcUrl);
    const tooLong = {
      error: { code: -32602, message: expect.stringContaining('67108864 bytes') as string },
    };
    const asked = async (body: unknown) => {
      const response = await post(body);
      return [response.status, await response.json()] as const;
    };
    expect(await asked(call('eth_getLogs', 'a'))).toMatchObject([200, { id: 'a', ...tooLong }]);
    expect(await asked([call('eth_getLogs', 1), call('eth_chainId', 2)])).toMatchObject([
      200,
      [
        { id: 1, ...tooLong },
        { id: 2, ...tooLong },
      ],
    ]);
    expect(await asked([call('anvil_mine', 1), call('eth_getLogs', 2)])).toMatchObject([
      200,
      [
        { id: 2, ...tooLong },
        { id: 1, error: { code: -32004 } },
      ],
    ]);
    expect(await (await post(call('eth_chainId'))).json()).toMatchObject({ result: '0x2105' });
    await fake.stop();
  });

  it('behavior: 200 transfers in a batch, and their calls traced', async () => {
    const url = server.urlOf('base');
    const batching = http(url, { batch: { batchSize: 1_000 } });
    const account = privateKeyToAccount(anvilKey(0));
    const wallet = createWalletClient({ account, chain: base, transport: batching });
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const signed = await Promise.all(
      Array.from({ length: 200 }, (_, nonce) =>
        wallet.signTransaction({ to: account.address, value: 1n, nonce, ...fees }),
      ),
    );
    const hashes = await Promise.all(
      signed.map((serializedTransaction) => wallet.sendRawTransaction({ serializedTransaction })),
    );
    const client = createPublicClient({ transport: http(url) });
    expect(await client.getTransactionCount({ address: account.address, blockTag: 'pending' })).toBe(200);
    const params = [hashes[0], { tracer: 'callTracer', timeout: '10s' }];
    await client.waitForTransactionReceipt({ hash: hashes[0]! });
    expect(await (await post({ ...call('debug_traceTransaction'), params })).json()).toMatchObject({
      result: { type: 'CALL', value: '0x1' },
    });
  });

  it('attack: neither steps nor programs are traced', async () => {
    const traced = [{}, { tracer: '{step(){}, fault(){}, result(){ return 7 }}' }].map((use) => ({
      ...call('debug_traceCall'),
      params: [{ data: '0x5b600056', gas: '0xffff' }, 'latest', use],
    }));
    for (const body of traced)
      expect(await (await post(body)).json()).toMatchObject({ error: { code: -32601 } });
  });

  it('error: 503 when the fork dies during a call', async () => {
    const fake = await startFakeRpc({});
    fake.setFault('silent');
    const proxy = await startTcpProxy(fake.rpcUrl);
    persistent = runningAt(proxy.url);
    const answering = post(call('eth_call'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    proxy.cut();
    const response = await answering;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    await proxy.stop();
    await fake.stop();
  });

  it('attack: calls that never end do not block other calls', async () => {
    const fake = await startFakeRpc({
      eth_chainId: () => '0x2105',
      eth_sendRawTransactionSync: () => new Promise(() => undefined),
    });
    persistent = runningAt(fake.rpcUrl);
    const patience = new AbortController();
    const waiting = Array.from({ length: 150 }, () =>
      post(call('eth_sendRawTransactionSync'), { signal: patience.signal }).catch(() => 'never answered'),
    );
    expect(await (await post(call('eth_chainId'))).json()).toMatchObject({ result: '0x2105' });
    patience.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['never answered']));
    await fake.stop();
  });

  it('behavior: a call ends with its client’s connection', async () => {
    let arrived: () => void = () => undefined;
    const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
    const hanging = await startHanging(() => arrived());
    persistent = runningAt(hanging.rpcUrl);
    const controller = new AbortController();
    const answering = post(call('eth_call'), { signal: controller.signal }).catch(() => undefined);
    await hasArrived;
    controller.abort();
    await answering;
    await hanging.closed;
    await hanging.stop();
  });

  it('error: 404 for a chain without forks and for other paths, 405 for other methods, without CORS', async () => {
    persistent = () => Promise.reject(new ForksNotConfiguredError({ detail: 'No such chain.' }));
    expect((await post(call('eth_chainId'))).status).toBe(404);
    const root = `http://127.0.0.1:${String(server.port)}`;
    for (const path of ['/', '/rpc', '/rpc/base/x', '/rpc/..%2fbase']) {
      expect((await fetch(root + path, { method: 'POST', body: '{}' })).status).toBe(404);
    }
    for (const method of ['GET', 'OPTIONS']) {
      const response = await fetch(server.urlOf('base'), {
        method,
        headers: { origin: 'https://a.example' },
      });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([405, null]);
    }
  });

  it('error: 413 for a long body, 400 for one that is no JSON', async () => {
    expect((await post('x'.repeat(2 * forkRpcBodyLimit))).status).toBe(413);
    const response = await post('{');
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32700 } }]);
  });

  it('error: 413 also for a client that sends a long body before it reads', async () => {
    const length = 4 * forkRpcBodyLimit;
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(server.port, '127.0.0.1');
      socket.on('end', () => resolve(text)).on('error', reject);
      socket.write(
        `POST /rpc/base HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(length)}\r\n\r\n${'x'.repeat(length)}`,
        () => socket.on('data', (chunk) => (text += String(chunk))),
      );
    });
    expect(answer).toContain('HTTP/1.1 413');
  });

  it('error: a request target that is no path', async () => {
    const status = await new Promise<string>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write('POST //%%% HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'),
      );
      let text = '';
      socket
        .on('data', (chunk) => (text += String(chunk)))
        .on('close', () => resolve(text.split('\r\n')[0] ?? ''));
    });
    expect(status).toContain('404');
  });
});

describe('createForkRpcHandler', () => {
  it('behavior: serves any fork by its id', async () => {
    const anvil = await startAnvil({ chainId: 8453 });
    const handler = createForkRpcHandler({
      persistent: () => Promise.reject(new Error('not asked for')),
      find: (id) => Promise.resolve(id === 'known' ? ({ rpcUrl: anvil.rpcUrl } as Fork) : undefined),
    });
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
    const answer = await handler({ forkId: 'known' }, body);
    expect([answer.status, JSON.parse(String(answer.body))]).toMatchObject([200, { result: '0x2105' }]);
    expect((await handler({ forkId: 'gone' }, Buffer.from(body))).status).toBe(404);
    await handler.close();
    await anvil.stop();
  });
});

/** A server that never responds and reports when its client disconnects. */
async function startHanging(onRequest: () => void) {
  let onClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (onClosed = resolve));
  const server = createServer((socket) => {
    socket
      .on('data', onRequest)
      .on('close', onClosed)
      .on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    rpcUrl: `http://127.0.0.1:${String(port)}`,
    closed,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
