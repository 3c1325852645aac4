import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { RpcFailure, startFakeRpc, type FakeRpc, type RpcFault } from '@yield-vault/testing';
import { recordingLogger } from '../../../test/support/recording-logger.js';
import { systemContracts } from './system-storage.js';
import { startUpstreamRelay, type UpstreamRelay } from './start-upstream-relay.js';

interface AskOptions {
  readonly url?: string;
  readonly params?: readonly unknown[];
  readonly signal?: AbortSignal | null;
}

interface Answer {
  readonly status: number;
  readonly result?: string;
  readonly error?: object;
}

describe('startUpstreamRelay', () => {
  let first: FakeRpc;
  let second: FakeRpc;
  let relay: UpstreamRelay;

  const node = (block: string) =>
    startFakeRpc({
      eth_chainId: () => '0x2105',
      eth_blockNumber: () => block,
      eth_getBlockByNumber: ([number]) => (number === block ? { number } : null),
      eth_getBalance: () => {
        if (block === '0x1') throw new RpcFailure(-32000, 'header not found');
        return '0x0';
      },
      eth_getStorageAt: () => {
        throw new RpcFailure(-32000, 'missing trie node');
      },
      eth_getCode: () => {
        throw new RpcFailure(-32000, 'missing trie node');
      },
    });
  beforeEach(async () => {
    first = await node('0x1');
    second = await node('0x2');
    const upstreamUrls = [first.rpcUrl, second.rpcUrl];
    relay = await startUpstreamRelay({ key: 'base', chainId: 8453, upstreamUrls }, recordingLogger());
  });
  afterEach(async () => {
    await relay.close();
    await first.stop();
    await second.stop();
  });

  const request = async (
    method: string,
    { url = relay.url, params = [], signal = null }: AskOptions = {},
  ): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', body, signal });
    return { status: response.status, ...((await response.json()) as object) };
  };

  it('default: passes calls on to the first endpoint, whose chain it checks once', async () => {
    expect(await relay.newestBlock()).toBe(1n);
    expect(await request('eth_blockNumber')).toMatchObject({ status: 200, result: '0x1' });
    expect(first.calls.filter(({ method }) => method === 'eth_chainId')).toHaveLength(1);
    expect(second.calls).toEqual([]);
  });

  it.each<RpcFault>(['cut', 'garbage'])(
    'behavior: goes on to the next endpoint at %s, and stays there',
    async (fault) => {
      await relay.newestBlock();
      first.setFault(fault);
      expect(await request('eth_blockNumber')).toMatchObject({ result: '0x2' });
      first.setFault(undefined);
      expect(await request('eth_blockNumber')).toMatchObject({ result: '0x2' });
    },
  );

  it('behavior: an error of the node is its response', async () => {
    expect(await request('eth_getCode')).toMatchObject({
      status: 200,
      error: { message: 'missing trie node' },
    });
    expect(second.calls).toEqual([]);
  });

  it('behavior: tries again before it gives up', async () => {
    await relay.newestBlock();
    for (const each of [first, second]) each.setFault('http-500');
    const answering = request('eth_blockNumber');
    setTimeout(() => second.setFault(undefined), 50);
    expect(await answering).toMatchObject({ status: 200, result: '0x2' });
  });

  it.each(['eth_getBlockByNumber', 'eth_getBalance'])(
    'behavior: what one node lacks is read from the next, %s',
    async (method) => {
      const params = ['0x2', false];
      expect(await request(method, { params })).toMatchObject({ result: expect.anything() });
      await second.stop();
      expect(await request(method, { params })).not.toMatchObject({ result: expect.anything() });
    },
  );

  it.each<[string, (fault: RpcFault) => void]>([
    ['is silent', (fault) => [first, second].forEach((each) => each.setFault(fault))],
    ['has forgotten it', () => undefined],
  ])('behavior: system storage is zero where the chain %s', async (_, spoil) => {
    await relay.newestBlock();
    spoil('cut');
    const [history] = systemContracts;
    expect(await request('eth_getStorageAt', { params: [history, '0x7', '0x1'] })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      status: 200,
      result: `0x${'0'.repeat(64)}`,
    });
  });

  it('error: nothing but a status when no endpoint responds', async () => {
    for (const each of [first, second]) each.setFault('cut');
    await expect(relay.newestBlock()).rejects.toThrow(UpstreamUnavailableError);
    expect(await request('eth_blockNumber')).toEqual({ status: 502 });
  });

  it('behavior: an endpoint that stalls leaves time for the next', async () => {
    await relay.newestBlock();
    first.setFault('silent');
    expect(await request('eth_blockNumber')).toMatchObject({ status: 200, result: '0x2' });
  });

  it('error: silent endpoints fail before the five-second deadline of a caller', async () => {
    await relay.newestBlock();
    for (const each of [first, second]) each.setFault('silent');
    const signal = AbortSignal.timeout(5_000);
    expect(await request('eth_blockNumber', { signal })).toEqual({ status: 502 });
    // A client that retries with another method because the first one failed.
    expect(await request('eth_blockNumber', { signal })).toEqual({ status: 502 });
  });

  it('error: a read of the newest block does not wait for silent endpoints', async () => {
    for (const each of [first, second]) each.setFault('silent');
    const caller = new AbortController();
    const looking = relay.newestBlock(caller.signal);
    const isOver = expect(looking).rejects.toThrow(UpstreamUnavailableError);
    caller.abort();
    // At once: no clock moves while promises settle.
    await Promise.race([isOver, new Promise((_, reject) => setTimeout(reject, 1_000, 'still waiting'))]);
  });

  it('error: requests without the token are refused', async () => {
    const { origin, pathname } = new URL(relay.url);
    expect(pathname).toMatch(/^\/[0-9a-f]{32}$/);
    expect(await request('eth_blockNumber', { url: origin })).toEqual({ status: 404 });
    expect(first.calls).toEqual([]);
  });
});
