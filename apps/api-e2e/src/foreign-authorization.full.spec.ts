import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fundWallet, startBundler, type BundlerProcess } from '@yield-vault/devnet';
import { gaslessSetupPath, type ExecuteRequest, type GaslessSetupRequest } from '@yield-vault/protocol';
import { Wallet } from 'ethers';
import type { Address } from 'viem';
import { attemptOf, pursue } from '../test/faults/deposit.js';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { usdcVault } from '../test/support/funded-agent.js';
import {
  completeGasless,
  createGaslessWallet,
  includedOf,
  prepareGasless,
  signGasless,
  signGaslessIntent,
  type GaslessWallet,
} from '../test/support/gasless-wallet.js';
import { startServer, type Server } from '../test/support/start-server.js';

describe('an authorization that somebody else included', () => {
  const { base } = devnetChains();
  let home: string;
  let bundler: BundlerProcess;
  let server: Server;
  let api: ApiClient;
  let agent: GaslessWallet;
  let request: GaslessSetupRequest;

  // Each test has a bundler of its own: Alto 0.0.20 ends itself once it has included such an operation.
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'api-e2e-bundler-'));
    bundler = await startBundler({ rpcUrl: base.rpcUrl, entryPoint: base.entryPoint, home });
    server = await startServer({
      backfillHours: 30,
      upstreams: { base: { rpcUrl: base.rpcUrl, bundlerUrl: bundler.url } },
    });
    api = await createApiClient(server.url);
    agent = await createGaslessWallet(base, (await usdcVault(api)).vaultId);
    request = await signGasless(agent, (await prepareGasless(api, agent)).gaslessSetup);
  }, 90_000);
  afterEach(async () => {
    await server?.stop();
    await bundler?.kill();
    await rm(home, { recursive: true, force: true });
  });

  /** Include the authorization in a transaction of somebody else. */
  async function include(data: string): Promise<number | null> {
    const { provider } = agent;
    const stranger = new Wallet(Wallet.createRandom().privateKey, provider);
    await fundWallet(base, stranger.address as Address, { ethWei: 10n ** 17n });
    const { chainId, address, nonce, yParity, r, s } = request.authorization!;
    const authorizationList = [{ chainId, address, nonce, signature: { yParity: yParity as 0 | 1, r, s } }];
    const to = base.entryPoint;
    const sent = await stranger.sendTransaction({ type: 4, to, data, gasLimit: 500_000, authorizationList });
    const receipt = await provider.waitForTransaction(sent.hash).catch(() => null);
    const { status } = receipt ?? (await provider.getTransactionReceipt(sent.hash))!;
    expect(await provider.getCode(agent.wallet.address)).toMatch(/^0xef0100/);
    return status;
  }

  /** Execute until the service needs nothing more, and check that the wallet deposited once, without ether. */
  async function executeOneDeposit(signed: ExecuteRequest): Promise<void> {
    const { address } = agent.wallet;
    const sign = () => Promise.reject(new Error('The wallet is stranded'));
    const attempts = [attemptOf(signed)];
    await pursue({ name: '', depositor: { address, sign }, isAbandoned: false, attempts }, () => [api]);
    expect(await includedOf(base, address)).toEqual([true]);
    expect(await agent.provider.getBalance(address)).toBe(0n);
  }

  it('behavior: the signed operation still succeeds', async () => {
    const signed = await signGaslessIntent(agent, await completeGasless(api, request));
    expect(await include('0x70a08231' + request.agentAddress.slice(2).padStart(64, '0'))).toBe(1);
    await executeOneDeposit(signed);
  });

  it('behavior: in a bundle that reverted, the delegation stays, and the wallet is set up', async () => {
    // The entry point knows no such function.
    expect(await include('0x12345678')).toBe(0);
    const { body } = await api.refused('POST', gaslessSetupPath, request);
    expect(body.code).toBe('ALREADY_SET_UP');
    const prepared = await api.prepare(agent.deposit);
    if (prepared.needsSetup) throw new Error('The wallet is not set up');
    const [item] = prepared.execution.intentEnvelope.userOps;
    expect([item!.userOperation.initCode, item!.eip7702Auth ?? null]).toEqual(['0x', null]);
    await executeOneDeposit(await signGaslessIntent(agent, prepared));
  });
});
