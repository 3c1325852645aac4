import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { chainFacts } from '@yield-vault/contracts';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import { ForkNotRunningError, UpstreamUnavailableError } from '@yield-vault/protocol';
import { startFakeRpc, testAccount, type FakeRpc } from '@yield-vault/testing';
import { createClient, erc20Abi, http } from 'viem';
import { createForkManager } from '../src/server/create-fork-manager.js';
import type { ForkProvider } from '../src/types.js';
import { startForkRpc, type ForkRpcServer } from './support/start-fork-rpc.js';
import { buildForkChain } from './support/build-fork-chain.js';
import { forkPids } from './support/fork-pids.js';
import { recordingLogger } from './support/recording-logger.js';
import { activeChain } from './support/sign-operation.js';

const stranger = (name: string) => testAccount(name).address;

describe('a persistent fork whose chain is silent', () => {
  let devnet: Devnet;
  let upstream: FakeRpc;
  let forks: ForkProvider;
  let rpc: ForkRpcServer;
  let chain: ActiveChain;

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], bundlers: false, historyDays: 1 });
    const node = createClient({ transport: http(devnet.chains[0]?.rpcUrl) });
    upstream = await startFakeRpc(
      new Proxy(
        {},
        {
          get: (_, method: string) => (params: readonly unknown[]) =>
            node.request({ method, params } as never),
        },
      ),
    );
  });
  beforeEach(async () => {
    const logger = recordingLogger();
    forks = createForkManager({
      chains: [buildForkChain({ upstreamUrls: [upstream.rpcUrl] })],
      options: { maxForks: 2, idleSeconds: 900 },
      logger,
    });
    rpc = await startForkRpc(forks);
    chain = activeChain({ rpcUrl: rpc.urlOf('base'), bundlerUrl: '' });
  });
  afterEach(async () => {
    upstream.setFault(undefined);
    await rpc.close();
    await forks.close();
    expect(forkPids()).toEqual([]);
  });
  afterAll(async () => {
    await upstream.stop();
    await devnet.stop();
  });

  const reads: readonly [string, () => Promise<unknown>][] = [
    ['a balance', () => chain.rpc.getBalance({ address: stranger('balance') })],
    [
      'many token balances in one call',
      () =>
        chain.rpc.multicall({
          allowFailure: false,
          contracts: [
            {
              ...{ address: chainFacts(8453).usdc.address, abi: erc20Abi },
              ...{ functionName: 'balanceOf', args: [stranger('many tokens')] },
            },
          ],
        }),
    ],
    ['gas', () => chain.rpc.estimateGas({ account: stranger('gas'), to: stranger('payee') })],
  ];

  it('error: unknown state is an outage, never a response', async () => {
    const { id } = await forks.persistent('base');
    upstream.setFault('http-500');
    for (const [what, read] of reads) {
      const outcome = await read().catch((error: unknown) => asUpstreamError(error, 'rpc:base'));
      expect([what, outcome]).toEqual([what, expect.any(UpstreamUnavailableError)]);
    }
    await (await forks.persistent('base')).mine(3);
    upstream.setFault(undefined);
    for (const [, read] of reads) await read();
    expect((await forks.persistent('base')).id).toBe(id);
  });

  it('behavior: closing waits for nothing while a fork is launched or made ready', async () => {
    for (const silentAfter of [0, 20]) {
      const manager = createForkManager({
        chains: [buildForkChain({ upstreamUrls: [upstream.rpcUrl] })],
        options: { maxForks: 2, idleSeconds: 900 },
        logger: recordingLogger(),
      });
      const before = upstream.calls.length;
      if (silentAfter === 0) upstream.setFault('silent');
      const making = expect(manager.persistent('base')).rejects.toThrow(ForkNotRunningError);
      while (upstream.calls.length < before + silentAfter) await new Promise((next) => setTimeout(next, 1));
      upstream.setFault('silent');
      const closed = manager.close().then(() => 'closed');
      expect(await Promise.race([closed, making.then(() => closed), after(3_000)])).toBe('closed');
      await making;
      upstream.setFault(undefined);
    }
  });
});

function after(milliseconds: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, 'too late').unref());
}
