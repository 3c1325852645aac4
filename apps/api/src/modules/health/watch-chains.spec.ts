import { HttpRequestError, RpcRequestError } from 'viem';
import { walletContracts, type ContractInspection } from '@yield-vault/contracts';
import type { ActiveChain } from '@yield-vault/chains';
import { watchChains, type LastCalls, type WatchedParts } from './watch-chains.js';

const tickMs = 5_000;
const dayMs = 86_400_000;
const chainIds = { base: 8453, ethereum: 1 } as const;
type Key = keyof typeof chainIds;
const entryPoint = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
const down = () => new HttpRequestError({ url: 'http://upstream' });
const noState = () =>
  new RpcRequestError({ body: {}, url: '', error: { code: -32000, message: 'missing trie node' } });

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Two chains whose upstreams count the requests that they get. */
function setUp(paymaster: 'own' | 'circle' = 'own') {
  const state = {
    asked: { rpc: 0, bundler: 0 },
    isNodeUp: true,
    isBundlerUp: true,
    isFollowed: true,
    hasArchive: true,
    paymasterFault: null as string | null,
    faults: [] as readonly ContractInspection[],
    databaseFails: false,
  };
  const lastCalls: LastCalls = new Map();
  const call = (part: 'rpc' | 'bundler', dependency: string) => {
    state.asked[part] += 1;
    const isUp = part === 'rpc' ? state.isNodeUp : state.isBundlerUp;
    lastCalls.set(dependency, { at: performance.now(), isUp });
    return isUp ? Promise.resolve() : Promise.reject(down());
  };
  const build = (key: Key) => {
    const ask = async <T>(result: T) => {
      await call('rpc', `wallet-rpc:${key}`);
      return result;
    };
    const bundler = {
      name: `bundler:${key}`,
      chainId: () => call('bundler', `bundler:${key}`).then(() => chainIds[key]),
      supportedEntryPoints: () => Promise.resolve([entryPoint]),
      probeMethods: () => Promise.resolve(),
    };
    return {
      key,
      chainId: chainIds[key],
      entryPoint,
      relayMode: 'chain',
      paymaster: { kind: paymaster },
      contracts: walletContracts,
      bundlerUrls: ['http://bundler'],
      bundlers: [bundler],
      rpc: {
        getBlock: () => ask({ number: 1_000_000n, timestamp: 2_000_000n, baseFeePerGas: 1n }),
        getChainId: () => ask(chainIds[key]),
        getBalance: () => ask(0n).then(() => state.hasArchive || Promise.reject(noState())),
      },
    } as unknown as ActiveChain;
  };
  const all = [build('base'), build('ethereum')];
  const find = (key: string) => all.find((chain) => chain.key === key);
  const parts: WatchedParts = {
    chains: { all, require: (key) => find(key)! },
    wallets: { find },
    events: {
      newestBlock: () =>
        state.databaseFails
          ? Promise.reject(new Error('down'))
          : Promise.resolve(state.isFollowed ? 7n : undefined),
    },
    readPaymasterFault: () => Promise.resolve(state.paymasterFault),
    contracts: { faults: () => Promise.resolve(state.faults) },
    lastCalls,
    log: { error: () => undefined, warn: () => undefined },
    pastSeconds: 35 * 86_400,
  };
  const probe = watchChains(parts);
  /** Probe both chains for some time. `traffic` calls the upstreams as requests do. */
  const run = async (ms: number, traffic: (second: number) => void = () => undefined) => {
    let last = await Promise.all([probe('base'), probe('ethereum')]);
    for (let at = 0; at < ms; at += tickMs) {
      jest.advanceTimersByTime(tickMs);
      traffic(at / 1_000);
      last = await Promise.all([probe('base'), probe('ethereum')]);
    }
    return last[0];
  };
  const seen = (key: Key, part: 'wallet-rpc' | 'bundler', isUp = true) =>
    void lastCalls.set(`${part}:${key}`, { at: performance.now(), isUp });
  return { state, probe, run, seen };
}

describe('watchChains', () => {
  it.each<[string, number]>([
    ['without traffic', Infinity],
    ['with a call to each upstream every two minutes', 120],
    ['with a call to each upstream every five seconds', 5],
  ])('behavior: a day %s costs at most 2,000 requests', async (_, everySeconds) => {
    const { state, run, seen } = setUp();
    await run(dayMs, (second) => {
      if (second % everySeconds !== 0) return;
      for (const key of ['base', 'ethereum'] as const) {
        seen(key, 'bundler');
        seen(key, 'wallet-rpc');
      }
    });
    const { rpc, bundler } = state.asked;
    expect(rpc + bundler).toBeLessThanOrEqual(2_000);
    if (everySeconds === 5) expect(bundler).toBe(2);
  });

  it('behavior: a failed call is checked at the next tick, and silence within two minutes', async () => {
    const { state, run, seen } = setUp();
    expect(await run(tickMs)).toMatchObject({ rpc: 'ok', bundler: 'ok', blockNumber: 7, missing: [] });
    state.isBundlerUp = false;
    seen('base', 'bundler', false);
    expect(await run(tickMs)).toMatchObject({ rpc: 'ok', bundler: 'down' });
    state.isBundlerUp = true;
    expect(await run(tickMs)).toMatchObject({ bundler: 'ok' });
    state.isBundlerUp = false;
    expect(await run(110_000)).toMatchObject({ bundler: 'down' });
  });

  it('behavior: the node is asked once nobody follows its chain, and a chain that nobody follows for a minute is not ready', async () => {
    const { state, run } = setUp();
    await run(200_000);
    state.isFollowed = false;
    state.isNodeUp = false;
    expect(await run(tickMs)).toMatchObject({ rpc: 'down', missing: [] });
    state.isNodeUp = true;
    expect(await run(70_000)).toMatchObject({ rpc: 'ok', missing: ['follower'] });
    state.isFollowed = true;
    expect(await run(tickMs)).toMatchObject({ missing: [] });
  });

  it('behavior: a database that fails says nothing about the follower', async () => {
    const { state, run } = setUp();
    await run(tickMs);
    state.databaseFails = true;
    expect(await run(120_000)).toMatchObject({ missing: [] });
  });

  it.each<[string, (state: ReturnType<typeof setUp>['state']) => void]>([
    ['archive', (state) => (state.hasArchive = false)],
    ['paymaster', (state) => (state.paymasterFault = 'paymaster')],
    ['deposit', (state) => (state.paymasterFault = 'deposit')],
    [
      'contracts',
      (state) => (state.faults = [{ contract: 'account', address: entryPoint, status: 'missing' }]),
    ],
  ])('behavior: %s is missing', async (part, fail) => {
    const { state, run } = setUp();
    fail(state);
    expect(await run(0)).toMatchObject({ rpc: 'ok', missing: [part] });
  });

  it('behavior: another paymaster is not ours to watch', async () => {
    const { state, run } = setUp('circle');
    state.paymasterFault = 'deposit';
    expect(await run(0)).toMatchObject({ missing: [] });
  });
});
