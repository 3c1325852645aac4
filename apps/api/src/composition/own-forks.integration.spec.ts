import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import type { ForkStatusResponse, FundWalletResponse } from '@yield-vault/protocol';
import { childProcesses, untilEnded } from '@yield-vault/testing';
import { createPublicClient, http } from 'viem';
import { startBaseApp } from '../../test/support/start-base-app.js';
import { examples } from '../openapi/examples.js';

const walletAddress = examples.testWallet;
const folder = mkdtempSync(join(tmpdir(), 'api-'));

let devnet: Devnet;
let upstreamUrl: string;
let app: NestFastifyApplication;
let before: ReadonlyMap<number, string>;

/** Start the local deployment with one chain, whose forks are processes of this one. */
async function start(): Promise<void> {
  app = await startBaseApp(
    {
      DATA_DIRECTORY: join(folder, 'database'),
      FORKS_PROVIDER: 'anvil',
      FORKS_STATE_DIRECTORY: join(folder, 'forks'),
      BASE_RPC_URL: upstreamUrl,
      BASE_BUNDLER_URL: 'http://127.0.0.1:1',
    },
    { bundlerUrl: null },
  );
}

beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false });
  upstreamUrl = devnet.chains[0]?.rpcUrl ?? '';
  before = childProcesses(process.pid);
  await start();
}, 120_000);

afterAll(async () => {
  await app.close();
  await devnet.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

const get = (url: string) => app.inject({ method: 'GET', url });
const fund = async (amounts: object) => {
  const payload = { chain: 'base', walletAddress, ...amounts };
  const response = await app.inject({ method: 'POST', url: '/v1/testing/fund-wallet', payload });
  expect(response.statusCode).toBe(200);
  return response.json<FundWalletResponse>();
};
const forkStatus = async () => (await get('/v1/testing/fork-status')).json<ForkStatusResponse>();
const balanceAt = (url: string) =>
  createPublicClient({ transport: http(url) }).getBalance({ address: walletAddress });

describe('a deployment that manages its forks itself', () => {
  let forkId: string;

  it('behavior: it gets ready by itself: the fork of each chain is created without being asked for', async () => {
    while ((await get('/health/ready')).statusCode !== 200) await pause(50);
    const { health, primaryForks, activeForks } = await forkStatus();
    expect(health).toMatchObject({ status: 'healthy', activeForks: 1, maxForks: 32 });
    expect(primaryForks).toMatchObject([{ chain: 'base', chainId: 8453, status: 'running' }]);
    expect(activeForks['base']).toMatchObject({ count: 1, forks: [{ kind: 'persistent' }] });
    expect((await get('/metrics')).body).toContain(
      'yield_vault_forks_active{chain="base",kind="persistent"} 1',
    );
  }, 60_000);

  it('behavior: a wallet is funded on the fork, at its public address, and not on the chain', async () => {
    const first = await fund({ ethWei: '10', usdcAmount: '50000000' });
    const second = await fund({ ethWei: '5' });
    forkId = first.forkId;
    expect(first).toMatchObject({
      environment: 'local',
      chainId: 8453,
      walletAddress,
      funded: {
        eth: { requestedAmountWei: '10', resultingBalanceWei: '10' },
        usdc: {
          tokenAddress: examples.usdc,
          requestedAmountBaseUnits: '50000000',
          resultingBalanceBaseUnits: '50000000',
        },
      },
      allowlistEnforced: false,
    });
    expect(second).toMatchObject({
      forkId,
      funded: { eth: { resultingBalanceWei: '15' }, usdc: { resultingBalanceBaseUnits: '50000000' } },
    });
    const [primary] = (await forkStatus()).primaryForks;
    expect(primary?.id).toBe(forkId);
    expect(await balanceAt(primary?.rpcUrl ?? '')).toBe(15n);
    expect(await balanceAt(upstreamUrl)).toBe(0n);
  });

  it('error: TestingCapExceededError for one base unit too many', async () => {
    for (const amounts of [{ ethWei: '20000000000000001' }, { usdcAmount: '50000001' }]) {
      const payload = { chain: 'base', walletAddress, ...amounts };
      const response = await app.inject({ method: 'POST', url: '/v1/testing/fund-wallet', payload });
      expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([
        400,
        'TESTING_CAP_EXCEEDED',
      ]);
    }
  });

  it('behavior: an orderly stop leaves no process, and the next start has the same fork', async () => {
    const ours = [...childProcesses(process.pid).keys()].filter((pid) => !before.has(pid));
    expect(ours.length).toBeGreaterThan(0);
    await app.close();
    expect(await untilEnded(ours)).toEqual([]);
    await start();
    expect(await fund({ ethWei: '1' })).toMatchObject({
      forkId,
      funded: {
        eth: { resultingBalanceWei: '16' },
        usdc: { requestedAmountBaseUnits: '0', resultingBalanceBaseUnits: '50000000' },
      },
    });
  }, 60_000);
});
