import { startAnvil as startProcess } from '@yield-vault/anvil';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { startAnvil, startFakeRpc, startRpcProxy, type Anvil, type RpcProxy } from '@yield-vault/testing';
import {
  createPublicClient,
  createTestClient,
  http,
  numberToHex,
  publicActions,
  type Address,
  type Hex,
} from 'viem';
import { createRpcGateway } from '../../src/gateway/create-rpc-gateway.js';
import type { RpcGateway } from '../../src/gateway/types.js';
import type { BlockRef, SimulatedCall } from '../../src/types.js';

const chain = { key: 'base', chainId: 8453, opStack: true };
const sender: Address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const touched = 12;

/** Adds one to each of its first slots. */
const counter: Address = '0x00000000000000000000000000000000000c0de5';
const counterCode: Hex = `0x${Array.from({ length: touched }, (_, slot) => {
  const at = `60${slot.toString(16).padStart(2, '0')}`;
  return `${at}5460010160${at.slice(2)}55`;
}).join('')}00`;
const call: SimulatedCall = { from: sender, to: counter, data: '0x' };

describe('createRpcGateway', () => {
  let upstream: Anvil;
  let proxy: RpcProxy;
  let gateway: RpcGateway;

  const client = (url: string) => createPublicClient({ transport: http(url, { retryCount: 0 }) });
  const chainOf = (url: string) =>
    createTestClient({ mode: 'anvil', transport: http(url) }).extend(publicActions);
  const setCounter = (slot: number, value: number) =>
    chainOf(upstream.rpcUrl).setStorageAt({
      address: counter,
      index: slot,
      value: numberToHex(value, { size: 32 }),
    });
  const mine = () => chainOf(upstream.rpcUrl).mine({ blocks: 1 });

  const withHost = async <T>(block: BlockRef, use: (url: string) => Promise<T>): Promise<T> => {
    const host = await startProcess({
      args: [
        ...['-a', '0', '--fork-url', gateway.urlFor(block), '--fork-block-number', String(block.number)],
        ...['--fork-chain-id', '8453', '--gas-price', '1000000000', '--no-storage-caching'],
        ...['--no-rate-limit', '--retries', '1', '--prune-history', '--network', 'optimism'],
      ],
    });
    try {
      return await use(host.rpcUrl);
    } finally {
      await host.kill();
    }
  };
  const simulate = async (url: string, block: BlockRef) => {
    const blockOverrides = {
      number: numberToHex(block.number + 1n),
      time: numberToHex(block.timestamp + 2n),
    };
    const [simulated] = (await client(url).request({
      method: 'eth_simulateV1' as never,
      params: [{ blockStateCalls: [{ blockOverrides, calls: [call] }] }, 'latest'] as never,
    })) as { calls: { status: Hex }[] }[];
    return simulated!.calls[0]!.status;
  };
  const prefetchAndSimulate = async (block: BlockRef, template?: string) => {
    await gateway.prefetch(block, template, [call]);
    return withHost(block, (url) => simulate(url, block));
  };
  const requestsOf = async (use: () => Promise<unknown>) => {
    const before = proxy.requests;
    await use();
    return proxy.requests - before;
  };

  beforeAll(async () => {
    upstream = await startAnvil({ chainId: chain.chainId, args: ['--prune-history', '64'] });
    proxy = await startRpcProxy(upstream.rpcUrl);
    await chainOf(upstream.rpcUrl).setCode({ address: counter, bytecode: counterCode });
    for (let slot = 0; slot < touched; slot++) await setCounter(slot, slot + 1);
    await mine();
  });
  beforeEach(async () => {
    gateway = await createRpcGateway({ chain, upstreamUrls: [proxy.url], deadlineMs: 1_500 });
  });
  afterEach(async () => {
    proxy.setFault(undefined);
    await gateway.close();
  });
  afterAll(async () => {
    await proxy.stop();
    await upstream.stop();
  });

  it('default: two requests for a first-seen template, one for a new block, none for the same', async () => {
    const likely = { template: 'count', calls: [call] };
    const first = async () =>
      expect(await prefetchAndSimulate(await gateway.head(0, likely), 'count')).toBe('0x1');
    expect(await requestsOf(first)).toBe(2);

    await mine();
    const next = await gateway.head(0, likely);
    const again = async () => expect(await prefetchAndSimulate(next, 'count')).toBe('0x1');
    expect(await requestsOf(again)).toBe(1);
    expect(await requestsOf(again)).toBe(0);
    expect(gateway.stats().misses).toBe(0);
  });

  it('behavior: a host reads the state of the upstream, lazily where nothing was foreseen', async () => {
    const upstreamChain = chainOf(upstream.rpcUrl);
    const before = await gateway.head(0);
    const addresses = Array.from({ length: 5 }, (_, index) => numberToHex(0xabc0 + index, { size: 20 }));
    for (const [index, address] of addresses.entries()) {
      await upstreamChain.setBalance({ address, value: BigInt(index) * 7n });
      await upstreamChain.setNonce({ address, nonce: index * 3 });
      await upstreamChain.setCode({ address, bytecode: index % 2 ? '0x60016002' : '0x' });
      const value = numberToHex(index + 1, { size: 32 });
      await upstreamChain.setStorageAt({ address, index: index * 5, value });
    }
    await mine();
    const block = await gateway.head(0);
    await setCounter(0, 99);
    await mine();

    const blockNumber = block.number;
    const stateOf = async (url: string, at?: bigint) =>
      Promise.all(
        [...addresses, sender, counter].map(async (address, index) => [
          await client(url).getBalance({ address, blockNumber: at }),
          await client(url).getTransactionCount({ address, blockNumber: at }),
          await client(url).getCode({ address, blockNumber: at }),
          await client(url).getStorageAt({ address, slot: numberToHex(index * 5), blockNumber: at }),
          await client(url).getStorageAt({ address, slot: '0x0', blockNumber: at }),
        ]),
      );
    const expected = await stateOf(upstream.rpcUrl, blockNumber);
    await withHost(block, async (url) => {
      expect(await stateOf(url)).toEqual(expected);
      const hash = { blockNumber: before.number };
      expect((await client(url).getBlock(hash)).hash).toBe(before.hash);
    });
    expect(gateway.stats().misses).toBeGreaterThan(0);
    const misses = gateway.stats().misses;
    await withHost(block, async (url) => expect(await stateOf(url)).toEqual(expected));
    expect(gateway.stats().misses).toBe(misses);
  });

  it('behavior: what a node cannot foresee is learned, and comes in one request for the next block', async () => {
    await gateway.prefetch(await gateway.head(0), 'other', []);
    const block = await gateway.head(0);
    expect(await withHost(block, (url) => simulate(url, block))).toBe('0x1');
    expect(gateway.stats().misses).toBeGreaterThan(touched);
    await mine();
    const next = await gateway.head(0);
    const use = async () => expect(await prefetchAndSimulate(next, 'other')).toBe('0x1');
    expect(await requestsOf(use)).toBe(1);
  });

  it('behavior: a host asks the upstream for nothing that concerns only itself', async () => {
    const block = await gateway.head(0);
    const { rpcUrl } = upstream;
    const own = client(gateway.urlFor(block));
    const ask = async () => {
      expect(await own.getChainId()).toBe(chain.chainId);
      expect(await own.getBlockNumber()).toBe(block.number);
      expect(await own.getGasPrice()).toBeGreaterThan(0n);
      expect(await own.request({ method: 'net_version' })).toBe(String(chain.chainId));
      expect((await own.getBlock()).hash).toBe(block.hash);
      const hash = numberToHex(1, { size: 32 });
      expect(await own.request({ method: 'eth_getTransactionReceipt', params: [hash] })).toBeNull();
      expect(await own.request({ method: 'eth_getTransactionByHash', params: [hash] })).toBeNull();
    };
    expect(await requestsOf(ask)).toBe(0);
    // Anything else is passed on.
    const account = { address: sender, storageKeys: [], blockNumber: block.number };
    expect(await own.getProof(account)).toEqual(await client(rpcUrl).getProof(account));
  });

  it('behavior: only who knows the path is answered', async () => {
    const block = await gateway.head(0);
    const url = new URL(gateway.urlFor(block));
    const post = async (path: string, body: string) =>
      (await fetch(new URL(path, url), { method: 'POST', body })).status;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    expect(url.hostname).toBe('127.0.0.1');
    expect(await post(url.pathname, body)).toBe(200);
    expect(await post(url.pathname, 'no JSON')).toBe(404);
    expect(await post(url.pathname.replace(/^\/./, '/'), body)).toBe(404);
    expect(await post('/', body)).toBe(404);
  });

  it('behavior: asks for many things at once, answered in their order', async () => {
    const block = await gateway.head(0);
    const calls = ['eth_chainId', 'net_version'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
    const answer = await fetch(gateway.urlFor(block), { method: 'POST', body: JSON.stringify(calls) });
    expect(await answer.json()).toEqual([
      { jsonrpc: '2.0', id: 0, result: '0x2105' },
      { jsonrpc: '2.0', id: 1, result: '8453' },
    ]);
  });

  it('error: a block that the chain has replaced is refused, and the next head is asked for', async () => {
    await mine();
    const block = await gateway.head(0);
    await gateway.prefetch(block, 'count', [call]);
    await chainOf(upstream.rpcUrl).request({
      method: 'anvil_reorg' as never,
      params: [1, [[{ from: sender, to: sender, value: '0x1' }, 0]]] as never,
    });
    const [next, stale] = [await gateway.head(60_000), gateway.prefetch(block, 'unlike', [call])];
    expect(next).toEqual(block);
    // All of it is known: what belongs to the hash is still what it was.
    await stale;

    const read = client(gateway.urlFor(block)).getBalance({ address: numberToHex(0xfe, { size: 20 }) });
    await expect(read).rejects.toMatchObject({ details: expect.stringContaining('was replaced') });
    const head = await gateway.head(60_000);
    expect(head.number).toBe(block.number);
    expect(head.hash).not.toBe(block.hash);
  });

  it('error: an upstream that is down is an error without its address; it is asked again when it is back', async () => {
    const block = await gateway.head(0);
    proxy.setFault('http-500');
    await expect(gateway.head(0)).rejects.toThrow(UpstreamUnavailableError);
    await expect(gateway.prefetch(block, 'down', [call])).rejects.toThrow(UpstreamUnavailableError);
    const read = () => client(gateway.urlFor(block)).getBalance({ address: numberToHex(0xfd, { size: 20 }) });
    await expect(read()).rejects.toMatchObject({ details: 'rpc:base: HTTP status 500.' });
    proxy.setFault(undefined);
    expect(await read()).toBe(0n);
    await gateway.prefetch(block, 'down', [call]);
  });

  it('behavior: a chain that keeps time needs one request in all for a new block', async () => {
    let time = 1_700_000_001_000;
    const newest = () => BigInt(Math.floor(time / 2_000));
    const node = await startFakeRpc({
      eth_getBlockByNumber: ([at]) => {
        const number = at === 'latest' ? newest() : BigInt(at as Hex);
        if (number > newest()) return null;
        const timestamp = numberToHex(number * 2n);
        return { number: numberToHex(number), hash: numberToHex(number, { size: 32 }), timestamp };
      },
      eth_getBalance: () => '0x0',
      eth_getTransactionCount: () => '0x0',
      eth_getCode: () => '0x',
      eth_getStorageAt: () => '0x0',
    });
    const between = await startRpcProxy(node.rpcUrl);
    const guessing = await createRpcGateway({ chain, upstreamUrls: [between.url], now: () => time });
    const likely = { template: 'count', calls: [call] };
    try {
      const counts: number[] = [];
      for (const passed of [0, 200, 1_400, 4_800, 3_600, 5_800, 14_300]) {
        time += passed;
        const before = between.requests;
        const block = await guessing.head(0, likely);
        await guessing.prefetch(block, 'count', [call]);
        expect(block.number).toBe(newest());
        counts.push(between.requests - before);
      }
      expect(counts).toEqual([2, 1, 2, 2, 1, 1, 1]);
    } finally {
      await guessing.close();
      await between.stop();
      await node.stop();
    }
  });
});
