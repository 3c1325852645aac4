import { setTimeout as sleep } from 'node:timers/promises';
import { chainFacts } from '@yield-vault/contracts';
import { localUsdcAbi, localUsdcDeployedBytecode } from '@yield-vault/testing/local';
import { ForkNotRunningError } from '@yield-vault/protocol';
import {
  startAnvil,
  startProviderProxy,
  startRpcProxy,
  startTcpProxy,
  testAccount,
  type Anvil,
  type TcpProxy,
} from '@yield-vault/testing';
import { encodeFunctionData, numberToHex, RpcRequestError, type Hex } from 'viem';
import { buildForkChain } from '../../../test/support/build-fork-chain.js';
import { forkPids } from '../../../test/support/fork-pids.js';
import { recordingLogger } from '../../../test/support/recording-logger.js';
import type { AnvilFork } from './create-anvil-fork.js';
import { createAnvilLauncher, type AnvilLauncher } from './create-anvil-launcher.js';

const token = chainFacts(8453).usdc.address;
const [sender, other, unread] = ['sender', 'other', 'unread'].map((name) => testAccount(name).address) as [
  Hex,
  Hex,
  Hex,
];

describe('createAnvilLauncher', () => {
  let upstream: Anvil;
  let proxy: TcpProxy;
  let logger: ReturnType<typeof recordingLogger>;
  let launcher: AnvilLauncher;

  beforeAll(async () => {
    upstream = await startAnvil({ chainId: 8453 });
    proxy = await startTcpProxy(upstream.rpcUrl);
    await rpc(upstream.rpcUrl, 'anvil_mine', ['0x14']);
    await rpc(upstream.rpcUrl, 'anvil_setCode', [token, localUsdcDeployedBytecode]);
  });
  beforeEach(() => {
    logger = recordingLogger();
    launcher = createAnvilLauncher({ logger });
  });
  afterEach(async () => {
    proxy.restore();
    await launcher.close();
    expect(forkPids()).toEqual([]);
  });
  afterAll(async () => {
    await proxy.stop();
    await upstream.stop();
  });

  const launch = (upstreamUrls = [upstream.rpcUrl], block?: bigint): Promise<AnvilFork> =>
    launcher.launch(buildForkChain({ upstreamUrls }), {
      id: 'one',
      ...(block !== undefined && { block }),
    });
  const numberOf = async (fork: AnvilFork): Promise<bigint> =>
    BigInt((await fork.request('eth_blockNumber')) as Hex);
  const timeOf = async (fork: AnvilFork): Promise<number> => {
    const block = (await fork.request('eth_getBlockByNumber', ['latest', false])) as { timestamp: Hex };
    return Number(block.timestamp);
  };

  it('default: a fork at the newest block, at real time', async () => {
    const fork = await launch();
    expect([fork.forkBlock, await numberOf(fork), await fork.request('eth_chainId')]).toEqual([
      20n,
      20n,
      '0x2105',
    ]);
    await fork.mine(1);
    expect(Math.abs((await timeOf(fork)) - Date.now() / 1_000)).toBeLessThan(10);
    expect(await launcher.version()).toBe('anvil/v1.7.1');
  });

  it('behavior: starts behind a balancer of which one node lacks the newest block', async () => {
    const balancer = await startProviderProxy('alchemy', upstream.rpcUrl);
    for (let start = 0; start < 3; start++) {
      const fork = await launch([balancer.url]);
      expect(fork.forkBlock).toBe(20n);
      await fork.destroy();
    }
    await balancer.stop();
  });

  it('error: says that no node has the block', async () => {
    const node = await startRpcProxy(upstream.rpcUrl);
    const nothing = { status: 200, text: '{"jsonrpc":"2.0","id":0,"result":null}' };
    node.addHook(([call]) =>
      call?.method === 'eth_getBlockByNumber' ? Promise.resolve(nothing) : undefined,
    );
    await expect(launch([node.url])).rejects.toMatchObject({
      detail: expect.stringContaining('no node has its block'),
    });
    await node.stop();
  });

  it('behavior: a state that was dumped is loaded by another fork', async () => {
    const fork = await launch();
    await fork.addEth(sender, 10n ** 18n);
    const { transactionHash: hash } = await fork.sendAs({ from: sender, to: other, value: 5n });
    const state = (await fork.request('anvil_dumpState')) as Hex;
    await fork.destroy();
    const next = await launch([upstream.rpcUrl], 20n);
    await next.loadState(state);
    expect(await next.request('eth_getBalance', [other, 'latest'])).toBe('0x5');
    expect(await next.request('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
    await next.mine(1);
    expect(Math.abs((await timeOf(next)) - Date.now() / 1_000)).toBeLessThan(10);
  });

  describe('sendAs', () => {
    const data = (functionName: 'configureMinter' | 'approve', amount: bigint): Hex =>
      encodeFunctionData({ abi: localUsdcAbi, functionName, args: [other, amount] });

    it('default: sends from any account, and returns the receipt', async () => {
      const fork = await launch();
      await fork.addEth(sender, 10n ** 18n);
      const sent = await fork.sendAs({ from: sender, to: token, data: data('approve', 3n) });
      expect(sent).toMatchObject({
        status: 'success',
        logs: [{ address: token.toLowerCase() }],
      });
      expect(sent.gasUsed).toBeGreaterThan(21_000n);
      const left = fork.request('eth_sendTransaction', [{ from: sender, to: other }]);
      await expect(left).rejects.toThrow(RpcRequestError);
    });

    it('behavior: a revert is mined', async () => {
      const fork = await launch();
      await fork.addEth(sender, 10n ** 18n);
      const sent = await fork.sendAs({ from: sender, to: token, data: data('configureMinter', 1n) });
      expect(sent).toMatchObject({ status: 'reverted', logs: [] });
      expect(await numberOf(fork)).toBe(21n);
    });

    it('behavior: many at once, of one and of several senders', async () => {
      const fork = await launch();
      await Promise.all([sender, unread].map((address) => fork.addEth(address, 10n ** 18n)));
      const sent = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          fork.sendAs({ from: index % 2 ? sender : unread, to: other, value: 1n }),
        ),
      );
      expect(sent.every(({ status }) => status === 'success')).toBe(true);
      expect(await fork.request('eth_getBalance', [other, 'latest'])).toBe(numberToHex(40));
    });
  });

  describe('upstream', () => {
    it('behavior: the first endpoint that serves the chain, the next one when it fails', async () => {
      const wrong = await startAnvil({ chainId: 1 });
      const fork = await launch([
        `${wrong.rpcUrl}/?key=s3cret`,
        'http://127.0.0.1:1',
        proxy.url,
        upstream.rpcUrl,
      ]);
      expect(fork.forkBlock).toBe(20n);
      proxy.cut();
      expect(await fork.request('eth_getBalance', [unread, 'latest'])).toBe('0x0');
      expect(logger.lines.join()).toContain('serves another chain');
      expect(logger.lines.join()).not.toContain('s3cret');
      await wrong.stop();
    });
  });

  it('behavior: a transaction whose state cannot be read waits for the chain', async () => {
    const fork = await launch([proxy.url]);
    await fork.addEth(sender, 10n ** 18n);
    await fork.request('anvil_impersonateAccount', [sender]);
    proxy.cut();
    const transaction = { from: sender, to: unread, gas: numberToHex(1_000_000) };
    const sent = fork.request('eth_sendTransactionSync', [transaction]).catch(() => undefined);
    await fork.mine(1);
    expect(await fork.request('eth_getTransactionCount', [sender, 'latest'])).toBe('0x0');
    proxy.restore();
    await fork.mine(1);
    expect(await fork.request('eth_getTransactionCount', [sender, 'latest'])).toBe('0x1');
    await sent;
  });

  describe('ended', () => {
    it('behavior: a killed fork reports its end, and is removed', async () => {
      const fork = await launch();
      process.kill(forkPids()[0] ?? NaN, 'SIGKILL');
      expect(await fork.ended).toBe('was ended by SIGKILL');
      await expect(fork.request('eth_chainId')).rejects.toMatchObject({
        code: 'FORK_NOT_RUNNING',
        details: { chain: 'base', forkId: 'one' },
      });
    });

    it('behavior: one that hangs is killed, and all that waits for it fails', async () => {
      launcher = createAnvilLauncher({ logger, liveness: { everyMs: 50, deadlineMs: 300 } });
      const fork = await launch();
      process.kill(forkPids()[0] ?? NaN, 'SIGSTOP');
      const waiting = Array.from({ length: 300 }, () =>
        expect(fork.request('eth_chainId')).rejects.toThrow(ForkNotRunningError),
      );
      await Promise.all(waiting);
      expect(await fork.ended).toBe('did not respond for 300 ms');
      expect(logger.lines).toEqual([expect.stringContaining('warn a fork does not respond')]);
    });

    it('attack: one that stands still behind a call without an end is killed', async () => {
      const impatient = createAnvilLauncher({ logger, standstill: { everyMs: 50, deadlineMs: 1_000 } });
      const chain = buildForkChain({ upstreamUrls: [upstream.rpcUrl] });
      const fork = await impatient.launch(chain, { id: 'one' });
      const gone: Promise<void>[] = [];
      const expectGone = (waiting: Promise<unknown>) =>
        gone.push(expect(waiting).rejects.toThrow(ForkNotRunningError));
      const standStill = async () => {
        for (;;) {
          expectGone(fork.request('eth_call', [{ data: '0x5b600056', gas: '0xfffffffffff' }, 'latest']));
          // A call that begins after the block would run on a past state, which blocks nobody.
          await sleep(200);
          await fork.mine(1);
        }
      };
      expectGone(standStill());
      expect(await fork.ended).toBe('stood still for 1000 ms');
      await Promise.all(gone);
      await impatient.close();
    });
  });

  it('error: closed means closed, also for one that is being started', async () => {
    const starting = expect(launch()).rejects.toThrow(ForkNotRunningError);
    await launcher.close();
    await starting;
    await expect(launch()).rejects.toThrow(ForkNotRunningError);
  });
});

async function rpc(url: string, method: string, params: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}
