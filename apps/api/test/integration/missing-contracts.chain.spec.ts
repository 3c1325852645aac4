import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { contractAddresses, deployContracts } from '@yield-vault/contracts';
import { startDevnet, type Devnet } from '@yield-vault/devnet';
import type { VaultListResponse } from '@yield-vault/protocol';
import { anvilKey } from '@yield-vault/testing';
import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { buildRedeem } from '../support/build-requests.js';
import { startBaseApp } from '../support/start-base-app.js';
import { examples } from '../../src/openapi/examples.js';

/** A server that was told another owner of the paymaster than the one whose suite is deployed. */
let app: NestFastifyApplication;
let devnet: Devnet;
const paymasterOwner = examples.agentAddress;
const folder = mkdtempSync(join(tmpdir(), 'api-'));

beforeAll(async () => {
  devnet = await startDevnet({ chains: ['base'], historyDays: 2 });
  const { rpcUrl = '', bundlerUrl = '' } = devnet.chains[0] ?? {};
  app = await startBaseApp(
    { DATA_DIRECTORY: folder, RELAY_MODE: 'chain', BASE_RPC_URL: rpcUrl, BASE_BUNDLER_URL: bundlerUrl },
    { contracts: contractAddresses(8453, { owner: paymasterOwner }) },
  );
}, 120_000);

afterAll(async () => {
  await app.close();
  await devnet.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

const get = (url: string) => app.inject({ method: 'GET', url });
const waitingFor = async () =>
  (await get('/health/ready')).json<{ details?: { waitingFor: string[] } }>().details?.waitingFor;

async function prepare() {
  const { vaults } = (await get('/v1/yield/vaults')).json<VaultListResponse>();
  const payload = buildRedeem({ vaultId: vaults[0]?.vaultId });
  return app.inject({ method: 'POST', url: '/v1/yield/prepare', payload });
}

describe('a deployment whose contracts are not all deployed', () => {
  it('error: it is not ready, and hands out no setup that a wallet would pay for in vain', async () => {
    // Its other dependencies become ready.
    while ((await waitingFor())?.join() !== 'contracts:base') await pause(50);
    const response = await prepare();
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '60']);
    expect(response.json()).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: {
        dependency: 'contracts:base',
        // The others do not depend on the owner.
        contracts: { paymaster: 'missing' },
      },
    });
  }, 60_000);

  it('behavior: once they are deployed, it gets ready and hands out setups without a restart', async () => {
    const transport = http(devnet.chains[0]?.rpcUrl);
    const wallet = createWalletClient({ account: privateKeyToAccount(anvilKey(0)), transport });
    await deployContracts(wallet, createPublicClient({ transport }), {
      paymaster: { owner: paymasterOwner },
    });
    while ((await get('/health/ready')).statusCode !== 200) await pause(50);
    expect((await prepare()).json()).toMatchObject({ needsSetup: true, setupType: 'full' });
  }, 60_000);
});
