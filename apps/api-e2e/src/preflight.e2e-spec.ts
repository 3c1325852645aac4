import { canonical } from '@yield-vault/contracts';
import { encodeAccountCall } from '@yield-vault/smart-account';
import { createWalletClient, encodeFunctionData, erc20Abi, http, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedForkService } from '../test/support/devnet.js';
import { forgeIntent } from '../test/support/forge-intent.js';
import { setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { createViemAgentOf } from '../test/support/viem-agent.js';

const stranger: Address = '0x3000000000000000000000000000000000000003';

describe('preflight', () => {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  let server: Server;
  let api: ApiClient;
  let bundler: RpcProxy;
  let agent: Awaited<ReturnType<typeof createViemAgentOf>>;
  let vaultId: string;
  let vault: Address;

  beforeAll(async () => {
    const { base } = forkedChains();
    bundler = await startRpcProxy(base.bundlerUrl);
    server = await startServer({
      forkService: sharedForkService(),
      backfillHours: 48,
      upstreams: { base: { rpcUrl: base.rpcUrl, bundlerUrl: bundler.url } },
    });
    api = await createApiClient(server.url);
    agent = await createViemAgentOf(privateKey, forkedChains().base.walletRpcUrl);
    await fund({ ethWei: '5000000000000000', usdcAmount: '50000000' });
    ({ vaultId, vaultAddress: vault } = await usdcVault(api));
    await setUp(api, agent, vaultId);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await bundler?.stop();
  });

  const fund = (amounts: object) =>
    api.fundWallet({ chain: 'base', walletAddress: account.address, ...amounts });
  /** The wallet's own transaction, past the service: most of its USDC is gone. */
  const giveAway = async (usdc: bigint) => {
    const client = createWalletClient({ account, transport: http(forkedChains().base.walletRpcUrl) });
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [stranger, usdc] });
    await client.sendTransaction({ chain: null, to: canonical.usdc[8453], data });
  };
  const sent = () => bundler.callsOf('eth_sendUserOperation').length;

  it('error: a failed simulation stops the intent; once its cause is cured the same intent executes', async () => {
    const request = await signedDeposit(api, agent, vaultId, '25');
    await giveAway(40_000_000n);
    const before = sent();
    for (const attempt of [1, 2]) {
      const { status, body } = await api.refused('POST', '/v1/yield/execute', request);
      expect([attempt, status, body.code, body.error]).toEqual([
        attempt,
        400,
        'PREFLIGHT_SIMULATION_FAILED',
        'Preflight simulation failed',
      ]);
      expect(body.details).toMatchObject({ revertReason: 'INSUFFICIENT_BALANCE' });
    }
    expect(sent()).toBe(before);
    const { activeForks } = await api.forkStatus();
    expect(activeForks['base']?.forks.map(({ kind }) => kind)).toEqual(['persistent']);

    await fund({ usdcAmount: '40000000' });
    expect(await api.execute(request)).toMatchObject({
      result: 'executed',
      receipt: { status: 'success' },
      positionUpdate: { vaultId, assetsDelta: '25' },
    });
    expect(sent()).toBe(before + 1);
    expect(await api.execute(request)).toMatchObject({ result: 'already_executed' });
    expect(sent()).toBe(before + 1);
  });

  it('error: an operation that the vault refuses never reaches the bundler, and its reason is decoded', async () => {
    const { intentEnvelope } = await signedDeposit(api, agent, vaultId, '1');
    const before = sent();
    const token = canonical.usdc[8453];
    const greedy = { hook: 'deposit', vault, token, amount: 1_000_000n, minShares: 2n ** 200n } as const;
    const request = await forgeIntent(intentEnvelope, privateKey, {
      operation: { callData: encodeAccountCall([greedy]) },
    });
    const { status, body } = await api.refused('POST', '/v1/yield/execute', request);
    expect([status, body.code]).toEqual([400, 'PREFLIGHT_SIMULATION_FAILED']);
    expect(body.details['revertReason']).toContain('MinSharesNotMet');
    expect(sent()).toBe(before);
  });
});
