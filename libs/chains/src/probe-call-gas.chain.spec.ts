import { RpcFailure, startAnvil, startFakeRpc, type Anvil, type FakeRpc } from '@yield-vault/testing';
import { createPublicClient, hexToBigInt, http, numberToHex, type Hex } from 'viem';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains } from './active-chains.js';
import { probeCallGas } from './probe-call-gas.js';

const wanted = 44_000_000n;
type Call = { readonly gas: Hex };

let anvil: Anvil;
const proxies: FakeRpc[] = [];
beforeAll(async () => {
  // The limit of a block is none for a call.
  anvil = await startAnvil({ chainId: 8453, args: ['--gas-limit', '30000000'] });
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await anvil.stop();
});

/** Start a proxy that changes or refuses calls before the node gets them. */
async function startLimit(limit: (call: Call) => Call): Promise<string> {
  const { request } = createPublicClient({ transport: http(anvil.rpcUrl) });
  const proxy = await startFakeRpc({
    eth_chainId: () => numberToHex(8453),
    eth_call: ([call, ...rest]) =>
      request({ method: 'eth_call', params: [limit(call as Call), ...rest] } as never),
  });
  proxies.push(proxy);
  return proxy.rpcUrl;
}

const cutAt = (cap: bigint) => (call: Call) =>
  hexToBigInt(call.gas) > cap ? { ...call, gas: numberToHex(cap) } : call;
const probe = (...rpcUrls: readonly string[]) => probeWithin(5_000, ...rpcUrls);
const probeWithin = (rpcMs: number, ...rpcUrls: readonly string[]) => {
  const config = buildChainConfig({ rpcUrls, deadlines: { rpcMs, bundlerMs: rpcMs } });
  return probeCallGas(createActiveChains({ chains: { base: config } }).require('base'), wanted);
};

describe('probeCallGas', () => {
  it('default: a node that grants all', async () => {
    const [found, ...others] = await probe(anvil.rpcUrl);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ node: 1, outcome: 'granted' });
    expect(found?.gas).toBeGreaterThan(43_900_000n);
  });

  it('behavior: a node that runs the call with less and does not say so', async () => {
    const [found] = await probe(await startLimit(cutAt(25_000_000n)));
    expect(found).toMatchObject({ node: 1, outcome: 'cut' });
    expect(found?.gas).toBeGreaterThan(24_900_000n);
    expect(found?.gas).toBeLessThan(25_000_000n);
  });

  it('behavior: a node that refuses every call without a target', async () => {
    const never = () => {
      throw new RpcFailure(-32000, 'contract creation is not allowed');
    };
    expect(await probe(await startLimit(never))).toEqual([{ node: 1, outcome: 'refused', gas: 0n }]);
  });

  const isDown = [{ node: 1, outcome: 'down', gas: 0n }];

  it('behavior: a node that goes down meanwhile has refused nothing', async () => {
    const url = await startLimit(() => {
      proxies.at(-1)?.setFault('cut');
      throw new RpcFailure(-32000, 'gas limit too high');
    });
    expect(await probe(url)).toEqual(isDown);
  });

  it('behavior: a rate limit is no refusal', async () => {
    const url = await startLimit(() => {
      throw new RpcFailure(-32005, 'limit exceeded');
    });
    expect(await probe(url)).toEqual(isDown);
  });

  it('behavior: nor has one that takes too long', async () => {
    const slow = await startFakeRpc({
      eth_chainId: () => numberToHex(8453),
      eth_call: () => new Promise(() => undefined),
    });
    proxies.push(slow);
    expect(await probeWithin(500, slow.rpcUrl)).toEqual(isDown);
  });

  it('behavior: each node is probed; a node that is down has no result', async () => {
    const found = await probe('http://127.0.0.1:1', anvil.rpcUrl, await startLimit(cutAt(10_000_000n)));
    expect(found.map(({ node, outcome }) => [node, outcome])).toEqual([
      [1, 'down'],
      [2, 'granted'],
      [3, 'cut'],
    ]);
  });
});
