import { localVaultAbi, localVaults } from '@yield-vault/testing/local';
import { vaultIdOf } from '@yield-vault/protocol';
import { createPublicClient, createWalletClient, erc4626Abi, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedForkService } from '../test/support/devnet.js';
import { runIntent, setUp, signedDeposit } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { createViemAgentOf } from '../test/support/viem-agent.js';

// No other file acts on this one on the fork.
const vault = localVaults[8453].find(({ kind, asset }) => kind === 'exit-fee' && asset === 'USDC')!;
const vaultId = vaultIdOf(vault.chainId, vault.address);

describe('a manipulated share price', () => {
  const attacker = privateKeyToAccount(generatePrivateKey());
  let server: Server;
  let api: ApiClient;
  let bundler: RpcProxy;
  let agent: Awaited<ReturnType<typeof createViemAgentOf>>;
  let added = 0n;

  beforeAll(async () => {
    const { base } = forkedChains();
    bundler = await startRpcProxy(base.bundlerUrl);
    server = await startServer({
      forkService: sharedForkService(),
      backfillHours: 48,
      upstreams: { base: { rpcUrl: base.rpcUrl, bundlerUrl: bundler.url } },
    });
    api = await createApiClient(server.url);
    agent = await createViemAgentOf(generatePrivateKey(), base.walletRpcUrl);
    for (const walletAddress of [agent.address, attacker.address]) {
      const amounts = { ethWei: '5000000000000000', usdcAmount: '50000000' };
      await api.fundWallet({ chain: 'base', walletAddress, ...amounts });
    }
    await setUp(api, agent, vaultId);
  }, 60_000);
  afterAll(async () => {
    // The fork is everybody's.
    if (added > 0n) await control('realiseLoss', added);
    await server?.stop();
    await bundler?.stop();
  });

  const control = async (functionName: 'harvest' | 'realiseLoss', assets: bigint) => {
    const transport = http(forkedChains().base.walletRpcUrl);
    const hash = await createWalletClient({ account: attacker, transport }).writeContract({
      ...{ chain: null, address: vault.address, abi: localVaultAbi, functionName, args: [assets] },
    });
    const { status } = await createPublicClient({ transport }).waitForTransactionReceipt({ hash });
    expect(status).toBe('success');
  };
  /** Raise the share price at once, as a donation does. */
  const raise = async (percent: bigint) => {
    const client = createPublicClient({ transport: http(forkedChains().base.walletRpcUrl) });
    const total = await client.readContract({
      ...{ address: vault.address, abi: erc4626Abi, functionName: 'totalAssets' },
    });
    const assets = (total * percent) / 100n;
    await control('harvest', assets);
    added += assets;
  };
  const sent = () => bundler.callsOf('eth_sendUserOperation').length;

  it('attack: after the signature: nothing is submitted, and a new intent is bounded by the new price', async () => {
    const request = await signedDeposit(api, agent, vaultId, '10');
    const before = sent();
    await raise(1n);
    const { status, body } = await api.refused('POST', '/v1/yield/execute', request);
    expect([status, body.code]).toEqual([400, 'PREFLIGHT_SIMULATION_FAILED']);
    expect(body.details['revertReason']).toContain('MinSharesNotMet');
    expect(sent()).toBe(before);
    expect(await agent.shareBalance(vault.address)).toBe(0n);

    expect(await api.execute(await signedDeposit(api, agent, vaultId, '10'))).toMatchObject({
      result: 'executed',
      positionUpdate: { vaultId, assetsDelta: '10' },
    });
  });

  it('attack: before prepare: deposits are refused at that price, redeems are not', async () => {
    await raise(5n);
    const { status, body } = await api.refused('POST', '/v1/yield/prepare', {
      ...{ agentAddress: agent.address, vaultId, asset: 'USDC', amount: '10' },
    });
    expect([status, body.code]).toEqual([400, 'NO_SUITABLE_VAULTS']);
    expect(body.details).toMatchObject({ vaultId, hazard: 'PRICE_JUMP' });

    await runIntent(api, agent, { operation: 'redeem', vaultId, percentage: 100 });
    expect(await agent.shareBalance(vault.address)).toBe(0n);
  });
});
