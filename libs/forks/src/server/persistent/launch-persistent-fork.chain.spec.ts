import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localContracts } from '@yield-vault/contracts';
import { setUpWallet, startDevnet, type Devnet } from '@yield-vault/devnet';
import { RpcFailure, startFakeRpc, startTcpProxy, testAccount, type TcpProxy } from '@yield-vault/testing';
import { createPublicClient, createTestClient, http, pad, publicActions, type Hex } from 'viem';
import { buildForkChain } from '../../../test/support/build-fork-chain.js';
import { forkPids } from '../../../test/support/fork-pids.js';
import { recordingLogger } from '../../../test/support/recording-logger.js';
import type { ForkProvider } from '../../types.js';
import type { Fork } from '../../types.js';
import { createForkManager, type ForkManagerOptions } from '../create-fork-manager.js';

const wallet = testAccount('saved wallet').address;
const funding = { address: wallet, ethWei: 3n, usdcBaseUnits: 4n };
const funded = { ethWei: 3n, usdcBaseUnits: 4n };
const nothing = { ethWei: 0n, usdcBaseUnits: 0n };

describe('the state of a persistent fork over restarts', () => {
  let devnet: Devnet;
  let proxy: TcpProxy;
  let directory: string;
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
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fork-state-'));
  });
  afterEach(async () => {
    proxy.restore();
    await manager.close();
    rmSync(directory, { recursive: true });
    expect(forkPids()).toEqual([]);
  });

  const file = () => join(directory, 'base.fork.json');
  const edit = (change: object): void => {
    const saved = JSON.parse(readFileSync(file(), 'utf8')) as object;
    writeFileSync(file(), JSON.stringify({ ...saved, ...change }));
  };
  async function start(rest: Partial<ForkManagerOptions> = {}): Promise<Fork> {
    logger = recordingLogger();
    manager = createForkManager({
      chains: [buildForkChain({ upstreamUrls: [proxy.url] })],
      options: { maxForks: 4, idleSeconds: 900, stateDirectory: directory },
      logger,
      ...rest,
    });
    return manager.persistent('base');
  }
  const numberOf = ({ rpcUrl }: Fork) => createPublicClient({ transport: http(rpcUrl) }).getBlockNumber();

  it('default: after an orderly end the same fork continues', async () => {
    const first = await start();
    await first.fund(funding);
    await first.mine(5);
    const head = await numberOf(first);
    await manager.close();
    const second = await start();
    expect([second.id, second.createdAt, second.forkBlock]).toEqual([
      first.id,
      first.createdAt,
      first.forkBlock,
    ]);
    expect(await second.fund({ address: wallet })).toEqual(funded);
    expect(await numberOf(second)).toBeGreaterThanOrEqual(head);
    expect(readdirSync(directory)).toEqual(['base.fork.json']);
  });

  it('behavior: receipts and logs outlive a restart, because relays check past operations', async () => {
    const restarted = testAccount('restarted');
    const owner = restarted.address;
    const past = async ({ request }: Fork) => {
      // An allowance, set with the delegation.
      const filter = { topics: [null, pad(owner)], fromBlock: '0x0', toBlock: 'latest' };
      const logs = (await request('eth_getLogs', [filter])) as { transactionHash: Hex }[];
      return [logs, await request('eth_getTransactionReceipt', [logs[0]?.transactionHash])];
    };
    const first = await start();
    await first.fund({ address: owner, ethWei: 10n ** 16n });
    await setUpWallet({ rpcUrl: first.rpcUrl, chainId: 8453 }, restarted, { allowance: 1n });
    const before = await past(first);
    expect(before[1]).toMatchObject({ status: '0x1' });
    await manager.close();
    expect(await past(await start())).toEqual(before);
  });

  it('behavior: after a kill the last saved state continues under another id', async () => {
    const first = await start();
    await first.fund(funding);
    while (!existsSync(file())) await new Promise((resolve) => setTimeout(resolve, 50));
    const saved = readFileSync(file(), 'utf8');
    await manager.close();
    writeFileSync(file(), saved);
    const second = await start();
    expect(second.id).not.toBe(first.id);
    expect(await second.fund({ address: wallet })).toEqual(funded);
  });

  it('behavior: a state is taken for complete once', async () => {
    const first = await start();
    await manager.close();
    const complete = readFileSync(file(), 'utf8');
    await start();
    expect(readFileSync(file(), 'utf8')).not.toBe(complete);
    const now = readFileSync(file(), 'utf8');
    await manager.close();
    writeFileSync(file(), now);
    expect((await start()).id).not.toBe(first.id);
  });

  it('behavior: a fork that dies is restored from its saved state, under another id', async () => {
    const first = await start();
    await first.fund(funding);
    await manager.close();
    const second = await start();
    process.kill(forkPids()[0] ?? NaN, 'SIGKILL');
    while ((await manager.list())[0]?.status !== 'failed')
      await new Promise((resolve) => setTimeout(resolve, 5));
    const third = await manager.persistent('base');
    expect(third.id).not.toBe(second.id);
    expect(await third.fund({ address: wallet })).toEqual(funded);
  });

  it('behavior: a fork that was destroyed leaves nothing to restore', async () => {
    const first = await start();
    await first.fund(funding);
    await manager.destroy(first.id);
    await manager.close();
    expect(existsSync(file())).toBe(false);
    expect(await (await start()).fund({ address: wallet })).toEqual(nothing);
  });

  it.each<[string, () => void]>([
    ['is damaged', () => writeFileSync(file(), readFileSync(file(), 'utf8').slice(0, 500))],
    ['is of another chain', () => edit({ chainId: 1 })],
    ['stands on a block that has changed', () => edit({ forkBlockHash: `0x${'1'.repeat(64)}` })],
    ['holds no state', () => edit({ state: '0x1234' })],
  ])('behavior: a file that %s is set aside, and a new fork starts', async (_, spoil) => {
    const first = await start();
    await first.fund(funding);
    await manager.close();
    spoil();
    const second = await start();
    expect(second.id).not.toBe(first.id);
    expect(await second.fund({ address: wallet })).toEqual(nothing);
    expect(logger.lines.join()).toContain('warn the saved state of a fork cannot be used and is set aside');
    expect(readdirSync(directory)).toContain('base.fork.json.rejected');
  });

  it('behavior: a state on which nothing can be deployed is set aside at once', async () => {
    const first = await start();
    await first.fund(funding);
    // The paymaster returns no price feed any more: the fork starts, and cannot be made ready.
    await first.request('anvil_setCode', [localContracts(8453).paymaster, '0x00']);
    const head = await numberOf(first);
    await manager.close();
    const second = await start();
    expect(second.id).not.toBe(first.id);
    expect(await second.fund({ address: wallet })).toEqual(nothing);
    expect(await numberOf(second)).toBeGreaterThanOrEqual(head);
    expect(logger.lines.join()).toContain('is set aside');
    expect(readdirSync(directory)).toContain('base.fork.json.rejected');
  });

  it('behavior: while the chain does not respond, the file is kept', async () => {
    const first = await start();
    await first.fund(funding);
    await manager.close();
    proxy.cut();
    await expect(start()).rejects.toMatchObject({ code: 'FORK_NOT_RUNNING' });
    proxy.restore();
    const second = await manager.persistent('base');
    expect(second.id).toBe(first.id);
    expect(await second.fund({ address: wallet })).toEqual(funded);
    expect(readdirSync(directory)).toEqual(['base.fork.json']);
  });

  it('behavior: a chain that forgot states that old starts a new fork', async () => {
    const upstream = createTestClient({ mode: 'anvil', transport: http(proxy.url) }).extend(publicActions);
    let oldest = 0n;
    // Anvil asks for an account in both ways, and goes on with the one that answers first.
    const ofAccounts = ['eth_getBalance', 'eth_getAccountInfo'];
    const respond = (method: string) => async (params: readonly unknown[]) => {
      if (ofAccounts.includes(method) && BigInt(params[1] as string) < oldest) {
        throw new RpcFailure(-32000, 'missing trie node');
      }
      return upstream.request({ method, params } as never);
    };
    const node = await startFakeRpc(new Proxy({}, { get: (_, method: string) => respond(method) }));
    const chains = [buildForkChain({ upstreamUrls: [node.rpcUrl] })];
    const first = await start({ chains });
    await manager.close();
    await upstream.mine({ blocks: 1 });
    oldest = await upstream.getBlockNumber({ cacheTime: 0 });
    const second = await start({ chains });
    expect(second.id).not.toBe(first.id);
    expect(logger.lines.join()).toContain('set aside');
    await manager.close();
    await node.stop();
  });
});
