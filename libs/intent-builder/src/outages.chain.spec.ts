import { setTimeout as sleep } from 'node:timers/promises';
import { createActiveChains } from '@yield-vault/chains';
import { UpstreamUnavailableError, type PrepareResponse } from '@yield-vault/protocol';
import {
  bundlerProfiles,
  imitateBundler,
  startRpcProxy,
  startTcpProxy,
  testKey,
  type TcpProxy,
} from '@yield-vault/testing';
import { privateKeyToAccount } from 'viem/accounts';
import { buildCatalogue, listLocalVault } from '../test/build-catalogue.js';
import { options } from '../test/build-request.js';
import {
  localVault,
  sendSetup,
  startLocalDeployment,
  type LocalDeployment,
} from '../test/local-deployment.js';
import { createIntentBuilder } from './prepare.js';
import type { IntentBuilder } from './types.js';
import { errorOf } from '../test/expect-error.js';

const vault = listLocalVault(localVault('steady'));
const key = testKey('intent-builder outages');
const request = {
  operation: 'deposit',
  chain: 'base',
  vaultId: vault.vaultId,
  asset: 'USDC',
  amount: '5',
} as const;
const owner = privateKeyToAccount(key).address;
const stranger = privateKeyToAccount(testKey('intent-builder stranger')).address;
let local: LocalDeployment;
let node: TcpProxy;
let bundler: TcpProxy;
let buildFor: (bundlerUrl: string) => IntentBuilder;
let builder: IntentBuilder;

beforeAll(async () => {
  local = await startLocalDeployment();
  node = await startTcpProxy(local.chain.rpcUrls[0]!);
  bundler = await startTcpProxy(local.chain.bundlerUrls[0]!);
  const deadlines = { rpcMs: 1_000, bundlerMs: 1_000 };
  buildFor = (bundlerUrl) => {
    const chains = createActiveChains({
      chains: { base: { ...local.chain, rpcUrls: [node.url], bundlerUrls: [bundlerUrl], deadlines } },
    });
    return createIntentBuilder({ chains, vaults: buildCatalogue([vault]), options });
  };
  builder = buildFor(bundler.url);
  await local.fund(owner, 100_000_000n);
  const setup = await builder.prepare({ ...request, agentAddress: owner });
  if (!setup.needsSetup) throw new Error('the wallet is configured already');
  await sendSetup(local.chain, setup, key);
}, 120_000);
afterAll(async () => {
  await node.stop();
  await bundler.stop();
  await local.stop();
});

const outage = async (agentAddress: `0x${string}`) => {
  const error = await errorOf(UpstreamUnavailableError, builder.prepare({ ...request, agentAddress }));
  const { details, retryAfterSeconds } = error as UpstreamUnavailableError;
  expect(retryAfterSeconds).toBeGreaterThan(0);
  return details;
};

/** Prepare as a caller does after an outage: again after the time that the error names. */
async function prepareAgain(): Promise<PrepareResponse> {
  try {
    return await builder.prepare({ ...request, agentAddress: owner });
  } catch (error) {
    if (!(error instanceof UpstreamUnavailableError)) throw error;
    await sleep((error.retryAfterSeconds ?? 1) * 1_000);
    return prepareAgain();
  }
}

describe.each(Object.entries(bundlerProfiles))('a bundler that behaves like %s', (_name, profile) => {
  it('behavior: prepares a deposit, and names the missing USDC', async () => {
    const proxy = await startRpcProxy(local.chain.bundlerUrls[0]!);
    proxy.addHook(imitateBundler(profile));
    const { prepare } = buildFor(proxy.url);
    expect(await prepare({ ...request, agentAddress: owner })).toMatchObject({ needsSetup: false });
    for (const amount of ['99.99', '100', '1000']) {
      const prepared = prepare({ ...request, amount, agentAddress: owner });
      await expect(prepared).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    }
    await proxy.stop();
  }, 20_000);
});

describe('outages', () => {
  it('error: UpstreamUnavailableError while the bundler is down; a setup does not need it', async () => {
    bundler.cut();
    expect(await outage(owner)).toEqual({ dependency: 'bundler:base' });
    expect((await builder.prepare({ ...request, agentAddress: stranger })).needsSetup).toBe(true);
    bundler.restore();
    expect((await builder.prepare({ ...request, agentAddress: owner })).needsSetup).toBe(false);
  }, 20_000);

  it('error: UpstreamUnavailableError while the node is down', async () => {
    node.cut();
    expect(await outage(owner)).toEqual({ dependency: 'rpc:base' });
    expect(await outage(stranger)).toEqual({ dependency: 'rpc:base' });
    node.restore();
    expect((await prepareAgain()).needsSetup).toBe(false);
  }, 20_000);
});
