import { startDevnet, type Devnet } from '@yield-vault/devnet';
import { ForkCapacityError, ForkNotRunningError } from '@yield-vault/protocol';
import { startTcpProxy, testAccount, type TcpProxy } from '@yield-vault/testing';
import { createPublicClient, http, parseEther } from 'viem';
import { buildForkChain } from '../../test/support/build-fork-chain.js';
import { forkPids, signalFork } from '../../test/support/fork-pids.js';
import { recordingLogger } from '../../test/support/recording-logger.js';
import type { ForkProvider } from '../types.js';
import { startForkRpc } from '../../test/support/start-fork-rpc.js';
import type { Fork } from '../types.js';
import { createForkManager, type ForkManagerOptions } from './create-fork-manager.js';

const wallet = testAccount('fork wallet').address;

describe('createForkManager', () => {
  let devnet: Devnet;
  let proxy: TcpProxy;
  let manager: ForkProvider;
  let logger: ReturnType<typeof recordingLogger>;

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], bundlers: false, historyDays: 1 });
    proxy = await startTcpProxy(devnet.chains[0]?.rpcUrl ?? '');
  });
  afterAll(async () => {
    await proxy.stop();
    await devnet.stop();
  });
  afterEach(async () => {
    proxy.restore();
    await manager.close();
    expect(forkPids()).toEqual([]);
  });

  function start(
    options: Partial<ForkManagerOptions['options']> = {},
    rest: Partial<ForkManagerOptions> = {},
  ): ForkProvider {
    logger = recordingLogger();
    manager = createForkManager({
      chains: [buildForkChain({ upstreamUrls: [`${proxy.url}/?key=s3cret`] })],
      options: { maxForks: 4, idleSeconds: 900, ...options },
      logger,
      ...rest,
    });
    return manager;
  }
  const client = ({ rpcUrl }: Fork) => createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
  const failed = async (): Promise<void> => {
    while ((await manager.list())[0]?.status !== 'failed') await new Promise((next) => setTimeout(next, 5));
  };

  describe('persistent', () => {
    it('behavior: twenty first uses start one process', async () => {
      const { persistent } = start();
      const forks = await Promise.all(Array.from({ length: 20 }, () => persistent('base')));
      expect(new Set(forks.map(({ id }) => id)).size).toBe(1);
      expect(forkPids()).toHaveLength(1);
      expect(await manager.health()).toEqual({
        status: 'healthy',
        activeForks: 1,
        maxForks: 4,
        version: 'anvil/v1.7.1',
      });
    });

    it('behavior: a killed fork is recreated under another id, without its state, with higher block numbers', async () => {
      const { persistent, list, health } = start();
      const first = await persistent('base');
      await first.fund({ address: wallet, ethWei: 1n, usdcBaseUnits: 2n });
      await first.mine(700);
      const head = await client(first).getBlockNumber();
      signalFork('SIGKILL');
      await failed();
      expect(await health()).toMatchObject({ status: 'degraded', activeForks: 0 });
      await expect(first.request('eth_chainId')).rejects.toThrow(ForkNotRunningError);

      const second = await persistent('base');
      expect(second.id).not.toBe(first.id);
      expect(await second.fund({ address: wallet })).toEqual({ ethWei: 0n, usdcBaseUnits: 0n });
      const { number, timestamp } = await client(second).getBlock();
      expect(number).toBeGreaterThanOrEqual(head);
      // The blocks that were mined to get there took no time.
      expect(Number(timestamp)).toBeLessThanOrEqual(Date.now() / 1_000);
      expect(await list()).toMatchObject([{ id: second.id, status: 'running' }]);
      expect(logger.lines.join()).toContain('the persistent fork ended');
    });

    it('behavior: numbers go on from transactions that were sent right before the end', async () => {
      const provider = start();
      const rpc = await startForkRpc(provider);
      const transport = http(rpc.urlOf('base'), { retryCount: 0, timeout: 60_000 });
      const reader = createPublicClient({ transport, cacheTime: 0 });
      const account = testAccount('busy wallet');
      await (await provider.persistent('base')).fund({ address: account.address, ethWei: parseEther('1') });
      const [maxFeePerGas, before] = [2n * (await reader.getGasPrice()), await reader.getBlockNumber()];
      for (let nonce = 0; nonce < 150; nonce++) {
        const fees = { maxFeePerGas, maxPriorityFeePerGas: 0n, gas: 21_000n } as const;
        const transaction = { chainId: 8453, type: 'eip1559', to: wallet, nonce, ...fees } as const;
        await reader.sendRawTransaction({
          serializedTransaction: await account.signTransaction(transaction),
        });
      }
      const head = await reader.getBlockNumber();
      expect(head).toBeGreaterThanOrEqual(before + 100n);
      signalFork('SIGKILL');
      await failed();
      expect(await reader.getBlockNumber()).toBeGreaterThanOrEqual(head);
      await rpc.close();
    });

    it('attack: one that is used while it is destroyed takes one place', async () => {
      const { persistent, create, destroy, list } = start({ maxForks: 1 });
      const { id } = await persistent('base');
      const destroyed = destroy(id);
      while ((await list())[0]?.status === 'running') await Promise.resolve();
      await Promise.all([destroyed, persistent('base')]);
      await expect(create('base')).rejects.toThrow(ForkCapacityError);
      expect(forkPids()).toHaveLength(1);
    });

    it('error: ForkNotRunningError while the chain does not respond, without its address', async () => {
      proxy.cut();
      const { persistent, health } = start();
      const failing = persistent('base');
      await expect(failing).rejects.toMatchObject({
        code: 'FORK_NOT_RUNNING',
        retryable: true,
        details: { chain: 'base', dependency: 'rpc:base' },
      });
      expect(await health()).toMatchObject({ status: 'degraded', activeForks: 0 });
      proxy.restore();
      const fork = await persistent('base');
      expect(await health()).toMatchObject({ status: 'healthy' });

      proxy.cut();
      const unread = await fork.request('eth_getBalance', [testAccount('unread').address, 'latest']).then(
        () => '',
        (error: Error) => `${error.message} ${JSON.stringify(error)}`,
      );
      expect(unread).not.toBe('');
      const shown = [unread, JSON.stringify(await fork.request('anvil_nodeInfo')), ...logger.lines].join();
      expect(shown).not.toContain('s3cret');
    });
  });

  describe('create', () => {
    it('default: bare forks that see nothing of each other', async () => {
      const { create, find, list, destroy } = start();
      const [one, other] = await Promise.all([create('base'), create('base')]);
      await one.fund({ address: wallet, ethWei: 7n });
      expect(await other.fund({ address: wallet })).toMatchObject({ ethWei: 0n });
      expect(await find(one.id)).toBe(one);
      expect((await list()).map(({ kind, status }) => [kind, status])).toEqual([
        ['ephemeral', 'running'],
        ['ephemeral', 'running'],
      ]);
      await destroy(one.id);
      await destroy(one.id);
      expect((await list()).map(({ id }) => id)).toEqual([other.id]);
    });

    it('error: ForkCapacityError when no place is left, persistent forks counted', async () => {
      const { create, persistent, destroy, health } = start({ maxForks: 2 });
      const created = await create('base');
      await persistent('base');
      expect(await health()).toMatchObject({ status: 'degraded', activeForks: 2, maxForks: 2 });
      await expect(create('base')).rejects.toThrow(ForkCapacityError);
      await destroy(created.id);
      await expect(create('base')).resolves.toBeDefined();
    });

    it('behavior: one that dies gives its place back', async () => {
      const { create, list } = start({ maxForks: 1 });
      await create('base');
      signalFork('SIGKILL');
      while ((await list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await expect(create('base')).resolves.toBeDefined();
    });

    it('behavior: an idle fork is ended', async () => {
      let clock = Date.now();
      const { create, persistent, list } = start({ idleSeconds: 1 }, { now: () => clock });
      await persistent('base');
      await create('base');
      const used = await create('base');
      clock += 900;
      await used.request('eth_chainId');
      clock += 200;
      while ((await list()).length > 2) await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await list()).map(({ kind, id }) => kind === 'persistent' || id === used.id)).toEqual([
        true,
        true,
      ]);
    });

    it('error: an aborted one leaves nothing behind', async () => {
      const { create, health } = start();
      await expect(create('base', { signal: AbortSignal.abort() })).rejects.toThrow(ForkNotRunningError);
      const controller = new AbortController();
      const creating = create('base', { signal: controller.signal });
      setTimeout(() => controller.abort(), 15);
      await creating.catch(() => undefined);
      expect(await health()).toMatchObject({ activeForks: forkPids().length });
    });
  });

  it('error: closed means closed, also for one that is being made', async () => {
    const { persistent, create, close } = start();
    const making = persistent('base');
    await close();
    await expect(making).rejects.toThrow(ForkNotRunningError);
    await expect(persistent('base')).rejects.toThrow(ForkNotRunningError);
    await expect(create('base')).rejects.toThrow(ForkNotRunningError);
  });
});
