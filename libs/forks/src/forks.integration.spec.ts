import type { ActiveChain } from '@yield-vault/chains';
import { localVaults } from '@yield-vault/testing/local';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import { testAccount } from '@yield-vault/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pad, createPublicClient, http, parseUnits, type Hex } from 'viem';
import { buildSimulator } from '../test/support/build-simulator.js';
import { buildForkChain } from '../test/support/build-fork-chain.js';
import { recordingLogger } from '../test/support/recording-logger.js';
import { activeChain, chainId, setUpWallet, signOperation } from '../test/support/sign-operation.js';
import { createForks, type Forks } from './forks.js';
import { createForkManager } from './manager/create-fork-manager.js';
import type { ForkProvider } from './ports.js';
import { startForkRpc, type ForkRpcServer } from '../test/support/start-fork-rpc.js';
import { createServiceProvider } from './service/create-service-provider.js';

jest.setTimeout(60_000);

const limits = {
  maxEthWeiPerCall: 20_000_000_000_000_000n,
  maxUsdcBaseUnitsPerCall: 50_000_000n,
  allowlist: null,
};
const facts = { environment: 'local', preflightMode: 'enforce', testing: limits } as const;
let devnet: Devnet;
let provider: ForkProvider;
let rpc: ForkRpcServer;
let forks: Forks;
/** As wallets see it: the persistent fork behind its stable address. */
let chain: ActiveChain;

beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false });
  const upstreamUrls = devnet.chains.map(({ rpcUrl }) => rpcUrl);
  const logger = recordingLogger();
  const chains = [buildForkChain({ upstreamUrls })];
  provider = createForkManager({
    chains,
    options: { maxForks: 4, maxAgeSeconds: null, idleSeconds: 60 },
    logger,
  });
  rpc = await startForkRpc({ provider });
  const rpcUrl = rpc.urlOf('base');
  forks = createForks({
    provider,
    simulator: buildSimulator(rpcUrl, { forks: provider }),
    chains,
    rpcUrlOf: (key) => rpc.urlOf(key),
    ...facts,
  });
  chain = activeChain({ rpcUrl, bundlerUrl: '' });
});
afterAll(async () => {
  await forks.close();
  await rpc.close();
  await devnet.stop();
});

const fund = (name: string, amounts: { ethWei?: string; usdcAmount?: string }) =>
  forks.fundWallet({ chain: 'base', walletAddress: testAccount(name).address, ...amounts });

describe('createForks over a real chain', () => {
  it('default: a wallet is funded, set up and simulated on the fork, and the chain below knows nothing of it', async () => {
    expect(await forks.forkStatus()).toMatchObject({
      health: { status: 'healthy', activeForks: 0, maxForks: 4 },
      primaryForks: [],
      activeForks: { base: { chainId, count: 0 } },
    });
    const funded = await fund('owner', { ethWei: '20000000000000000', usdcAmount: '50000000' });
    expect(funded.funded).toMatchObject({
      eth: { resultingBalanceWei: '20000000000000000' },
      usdc: { resultingBalanceBaseUnits: '50000000' },
    });

    const wallet = await setUpWallet(chain, 'owner');
    const [vault] = localVaults[chainId].filter(({ kind, asset }) => kind === 'steady' && asset === 'USDC');
    if (!vault) throw new Error('there is no vault');
    const signed = await signOperation(chain, 'owner', [
      {
        hook: 'deposit',
        vault: vault.address,
        token: chain.usdc,
        amount: parseUnits('25', 6),
        minShares: 1n,
      },
    ]);
    const simulated = await forks.simulateUserOperation({ chain: 'base', ...signed });
    expect(simulated).toMatchObject({ success: true, backend: 'node' });

    const status = await forks.forkStatus();
    expect(status.primaryForks).toEqual([
      {
        chain: 'base',
        chainId,
        id: funded.forkId,
        status: 'running',
        rpcUrl: rpc.urlOf('base'),
        blockNumber: expect.any(Number) as number,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    ]);
    expect(status.health).toMatchObject({ status: 'healthy', activeForks: 1 });
    const below = createPublicClient({ transport: http(devnet.chains[0]?.rpcUrl) });
    expect(await below.getBalance({ address: wallet.address })).toBe(0n);
  });

  it('behavior: calls at the same time all add', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => fund('crowd', { ethWei: '1', usdcAmount: '3' })),
    );
    const { funded } = await fund('crowd', { ethWei: '0' });
    expect(funded.eth.resultingBalanceWei).toBe('10');
    expect(funded.usdc.resultingBalanceBaseUnits).toBe('30');
    expect(new Set(responses.map(({ forkId }) => forkId)).size).toBe(1);
  });

  it('behavior: confirm mines the requested number of blocks', async () => {
    const fork = await provider.persistent('base');
    const before = BigInt(String(await fork.request('eth_blockNumber')));
    await forks.confirm('base', 9);
    // A block of its own may come between.
    expect(await chain.rpc.getBlockNumber()).toBeGreaterThanOrEqual(before + 9n);
  });

  it('behavior: an ephemeral fork is listed while it is used', async () => {
    const { id } = await provider.create('base');
    expect((await forks.forkStatus()).activeForks.base?.forks).toContainEqual(
      expect.objectContaining({ id, kind: 'ephemeral', backend: 'anvil', status: 'running' }),
    );
    await provider.destroy(id);
    expect((await forks.forkStatus()).activeForks.base?.forks.map((fork) => fork.id)).not.toContain(id);
  });

  it('behavior: a discarded fork is recreated under a new id, without the wallets’ balances', async () => {
    const first = await fund('survivor', { usdcAmount: '5' });
    await provider.destroy(first.forkId);
    const second = await fund('survivor', { usdcAmount: '3' });
    expect(second.forkId).not.toBe(first.forkId);
    expect(second.funded.usdc.resultingBalanceBaseUnits).toBe('3');
  });

  it('behavior: receipts and logs outlive a restart: relays ask the chain whether their responses still hold', async () => {
    const stateDirectory = mkdtempSync(join(tmpdir(), 'fork-states-'));
    const logger = recordingLogger();
    const open = () =>
      createForkManager({
        chains: [buildForkChain({ upstreamUrls: devnet.chains.map(({ rpcUrl }) => rpcUrl) })],
        options: { maxForks: 1, maxAgeSeconds: null, idleSeconds: 60, stateDirectory },
        logger,
      });
    const past = async (manager: ForkProvider) => {
      const { id, request } = await manager.persistent('base');
      const owner = pad(testAccount('restarted').address);
      // The allowance of the setup.
      const filter = { topics: [null, owner], fromBlock: '0x0', toBlock: 'latest' };
      const logs = (await request('eth_getLogs', [filter])) as { transactionHash: Hex }[];
      return { id, logs, receipt: await request('eth_getTransactionReceipt', [logs[0]?.transactionHash]) };
    };

    let manager = open();
    try {
      const fork = await manager.persistent('base');
      await fork.fund({ address: testAccount('restarted').address, ethWei: limits.maxEthWeiPerCall });
      await setUpWallet(activeChain({ rpcUrl: fork.rpcUrl, bundlerUrl: '' }), 'restarted');
      const before = await past(manager);
      expect(before.receipt).toMatchObject({ status: '0x1' });
      await manager.close();
      manager = open();
      expect(await past(manager)).toEqual(before);
    } finally {
      await manager.close();
      rmSync(stateDirectory, { recursive: true });
    }
  });

  it('behavior: fork-status answers while the fork service is down', async () => {
    const away = createForks({
      provider: createServiceProvider({ url: 'http://127.0.0.1:9', adminCredential: 'a credential of 20 c' }),
      simulator: undefined,
      chains: [buildForkChain()],
      rpcUrlOf: () => undefined,
      ...facts,
    });
    expect(await away.forkStatus()).toMatchObject({
      success: true,
      health: { status: 'unavailable', activeForks: 0, maxForks: null, version: '' },
      primaryForks: [],
    });
    await away.close();
  });
});
