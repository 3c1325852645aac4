import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { RpcFailure, startFakeRpc, startRpcProxy, type FakeRpc, type RpcProxy } from '@yield-vault/testing';
import { createUpstream, type Upstream } from './create-upstream.js';

const calls = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ method: 'echo', params: [index] }));
const results = (count: number) => Array.from({ length: count }, (_, index) => ({ result: index }));

describe('createUpstream', () => {
  let node: FakeRpc;
  let proxies: readonly [RpcProxy, RpcProxy];
  let upstream: Upstream;
  let before: number;

  const allRequests = () => proxies[0].requests + proxies[1].requests;
  const requests = () => allRequests() - before;

  beforeAll(async () => {
    node = await startFakeRpc({
      echo: ([value]) => value,
      refuse: () => {
        throw new RpcFailure(-32000, 'missing trie node');
      },
    });
    proxies = [await startRpcProxy(node.rpcUrl), await startRpcProxy(node.rpcUrl)];
  });
  beforeEach(() => {
    const urls = [`${proxies[0].url}/secret-key`, proxies[1].url];
    upstream = createUpstream({ dependency: 'rpc:base', urls, deadlineMs: 1_800, batchLimit: 10 });
    before = allRequests();
  });
  afterEach(async () => {
    for (const proxy of proxies) {
      proxy.setFault(undefined);
      proxy.setBatchLimit(Infinity);
    }
    await upstream.close();
  });
  afterAll(async () => {
    await Promise.all([node, ...proxies].map((server) => server.stop()));
  });

  it('default: one request for a batch, the outcomes in its order', async () => {
    expect(await upstream.ask(calls(10))).toEqual(results(10));
    expect(requests()).toBe(1);
  });

  it('behavior: nothing to ask is no request', async () => {
    expect(await upstream.ask([])).toEqual([]);
    expect(requests()).toBe(0);
  });

  it('behavior: a batch over the limit goes in chunks', async () => {
    expect(await upstream.ask(calls(25))).toEqual(results(25));
    expect(requests()).toBe(3);
  });

  it('behavior: an endpoint that takes only small batches gets small batches', async () => {
    proxies[0].setBatchLimit(3);
    expect(await upstream.ask(calls(10))).toEqual(results(10));
    const soFar = requests();
    expect(await upstream.ask(calls(9))).toEqual(results(9));
    expect(requests()).toBe(soFar + 3);
  });

  it('behavior: an error of one call leaves the others', async () => {
    const [first, second] = await upstream.ask([...calls(1), { method: 'refuse', params: [] }]);
    expect(first).toEqual({ result: 0 });
    expect(second).toEqual({ error: { code: -32000, message: 'missing trie node' } });
  });

  it.each(['cut', 'http-500', 'http-429', 'garbage', 'truncated', 'silent', 'stalled-body'] as const)(
    'behavior: another endpoint answers while the first one is out of order: %s',
    async (fault) => {
      proxies[0].setFault(fault);
      expect(await upstream.ask(calls(3))).toEqual(results(3));
      const soFar = requests();
      expect(await upstream.ask(calls(3))).toEqual(results(3));
      // It is remembered which one answered.
      expect(requests()).toBe(soFar + 1);
    },
  );

  it.each(['cut', 'http-500', 'http-429', 'garbage', 'truncated', 'silent', 'stalled-body'] as const)(
    'error: UpstreamUnavailableError without an address when none answers: %s',
    async (fault) => {
      proxies.forEach((proxy) => proxy.setFault(fault));
      const error: unknown = await upstream.ask(calls(3)).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(UpstreamUnavailableError);
      expect(error).toMatchObject({ retryable: true, details: { dependency: 'rpc:base' } });
      const { message, detail, stack, cause } = error as UpstreamUnavailableError;
      expect(`${message} ${detail} ${stack} ${String(cause)}`).not.toMatch(/secret-key|127\.0\.0\.1/);
    },
  );

  it('behavior: one that is back answers again', async () => {
    proxies.forEach((proxy) => proxy.setFault('cut'));
    await expect(upstream.ask(calls(1))).rejects.toThrow(UpstreamUnavailableError);
    proxies.forEach((proxy) => proxy.setFault(undefined));
    expect(await upstream.ask(calls(1))).toEqual(results(1));
  });
});
