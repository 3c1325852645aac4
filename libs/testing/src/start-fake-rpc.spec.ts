import { createPublicClient, http } from 'viem';
import { RpcFailure, startFakeRpc, type FakeRpc } from './start-fake-rpc.js';
import { startTcpProxy } from './start-tcp-proxy.js';

describe('startFakeRpc', () => {
  let server: FakeRpc;
  const client = (url: string) =>
    createPublicClient({ transport: http(url, { retryCount: 0, timeout: 300, batch: true }) });

  beforeAll(async () => {
    server = await startFakeRpc({
      eth_chainId: () => '0x1',
      eth_blockNumber: () => '0x10',
      eth_gasPrice: () => {
        throw new RpcFailure(-32000, 'refused');
      },
    });
  });
  afterAll(() => server.stop());
  afterEach(() => server.setFault(undefined));

  it('behavior: answers a batch and records its calls', async () => {
    const rpc = client(server.rpcUrl);
    expect(await Promise.all([rpc.getChainId(), rpc.getBlockNumber()])).toEqual([1, 16n]);
    expect(server.calls.map(({ method }) => method)).toEqual(['eth_chainId', 'eth_blockNumber']);
    await expect(rpc.getGasPrice()).rejects.toMatchObject({ details: 'refused' });
  });

  it.each(['cut', 'silent', 'garbage', 'http-500'] as const)(
    'behavior: fault %s, then healed',
    async (fault) => {
      server.setFault(fault);
      await expect(client(server.rpcUrl).getChainId()).rejects.toThrow();
      server.setFault(undefined);
      expect(await client(server.rpcUrl).getChainId()).toBe(1);
    },
  );

  it('behavior: a proxy in front of it can be cut and restored', async () => {
    const proxy = await startTcpProxy(server.rpcUrl);
    try {
      expect(await client(proxy.url).getChainId()).toBe(1);
      proxy.cut();
      await expect(client(proxy.url).getChainId()).rejects.toThrow();
      proxy.restore();
      expect(await client(proxy.url).getChainId()).toBe(1);
    } finally {
      await proxy.stop();
    }
  });
});
