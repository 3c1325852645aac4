import { createServer } from 'node:net';
import { ForkNotRunningError, ForksNotConfiguredError } from '@yield-vault/protocol';
import {
  listen,
  startAnvil,
  startFakeRpc,
  startTcpProxy,
  testAccount,
  type Anvil,
} from '@yield-vault/testing';
import { createPublicClient, http } from 'viem';
import type { Fork } from '../../types.js';
import { createForkRpcHandler } from './create-fork-rpc-handler.js';
import { startForkRpc, type ForkRpcServer } from '../../../test/support/start-fork-rpc.js';

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
    // A block of Base holds several hundred million gas.
    anvil = await startAnvil({ chainId: 8453, args: ['--gas-limit', '400000000'] });
    server = await startForkRpc(provider);
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

  it('attack: calls that name no gas cannot use all of a block', async () => {
    const client = createPublicClient({ transport: http(server.urlOf('base'), { batch: true }) });
    const to = testAccount('looping').address;
    const returnsGas = [{ address: to, code: '0x5a60005260206000f3' }] as const;
    const gas = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { data } = await client.call({ to, stateOverride: [...returnsGas] });
        return Number(data);
      }),
    );
    expect(Math.max(...gas)).toBeLessThan(30_000_000);
    const [block] = await client.simulateBlocks({
      blocks: [{ calls: [{ to }, { to }], stateOverrides: [...returnsGas] }],
    });
    expect(Math.max(...block!.calls.map(({ data }) => Number(data)))).toBeLessThan(30_000_000);

    const params = [{ to }, 'latest', { [to]: { code: '0x5b600056' } }];
    const response = await post({ ...call('eth_estimateGas'), params });
    const exhausted = { message: expect.stringContaining('exceeds allowance: 30000000') as string };
    expect(await response.json()).toMatchObject({ error: exhausted });
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

  it.each([
    [new ForkNotRunningError({ detail: 'Gone.', retryAfterSeconds: 7 }), '7', 'Gone.'],
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

  it('error: 404 for a chain without forks, 400 for a body that is no JSON', async () => {
    persistent = () => Promise.reject(new ForksNotConfiguredError({ detail: 'No such chain.' }));
    expect((await post(call('eth_chainId'))).status).toBe(404);
    const response = await post('{');
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32700 } }]);
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
  const { port, stop } = await listen(server);
  return { rpcUrl: `http://127.0.0.1:${port}`, closed, stop };
}
