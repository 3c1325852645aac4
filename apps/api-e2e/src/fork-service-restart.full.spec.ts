import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startBundler,
  startForkService,
  type BundlerProcess,
  type ForkServiceProcess,
} from '@yield-vault/devnet';
import { descendantProcesses, untilEnded } from '@yield-vault/testing';
import type {
  ExecuteResponse,
  FundWalletResponse,
  PrepareExecutionResponse,
  SetupRelayResponse,
} from '@yield-vault/protocol';
import type { Agent } from '../test/support/agent.js';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { prepareSetup, setUp, signedDeposit, signPrepared, usdcVault } from '../test/support/funded-agent.js';
import { untilAccepted } from '../test/support/retry.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { createViemAgent } from '../test/support/viem-agent.js';

describe('a fork service that is stopped and started', () => {
  const { base, ethereum } = devnetChains();
  let home: string;
  let service: ForkServiceProcess;
  let bundler: BundlerProcess;
  let server: Server;
  let api: ApiClient;
  let agent: Agent;
  let vaultId: string;

  const startService = (port?: number) =>
    startForkService({
      chains: [base, ethereum],
      credential: 'the-credential-of-this-test',
      stateDirectory: join(home, 'state'),
      logFile: join(home, 'fork-service.log'),
      ...(port !== undefined && { port }),
    });

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'api-e2e-forks-'));
    service = await startService();
    const walletRpcUrl = service.rpcUrlOf('base');
    bundler = await startBundler({ rpcUrl: walletRpcUrl, entryPoint: base.entryPoint, home });
    server = await startServer({
      forkService: service,
      backfillHours: 48,
      upstreams: { base: { rpcUrl: base.rpcUrl, bundlerUrl: bundler.url } },
    });
    api = await createApiClient(server.url);
    agent = await createViemAgent(walletRpcUrl);
    ({ vaultId } = await usdcVault(api));
  }, 90_000);
  afterAll(async () => {
    await server?.stop();
    await bundler?.kill();
    await service?.stop();
    await rm(home, { recursive: true, force: true });
  });

  const fund = (amounts: object) => ({ chain: 'base', walletAddress: agent.address, ...amounts });
  /** The setup of another wallet, ready to be relayed. */
  const signedSetup = async () => {
    const other = await createViemAgent(service.rpcUrlOf('base'));
    await api.fundWallet({ chain: 'base', walletAddress: other.address, ethWei: '5000000000000000' });
    const { setup, setupTicket } = await prepareSetup(api, other, vaultId);
    return { setupTicket, signedRawTx: await other.signSetup(setup), confirmations: 1 };
  };
  const deposits = async () =>
    (await api.status(agent.address)).positions.map((each) => each.depositedAmount);

  it('behavior: meanwhile its calls are 503; then every wallet is where it was, on the same fork', async () => {
    const { forkId } = await api.fundWallet(fund({ ethWei: '5000000000000000', usdcAmount: '50000000' }));
    await setUp(api, agent, vaultId);
    await api.execute(await signedDeposit(api, agent, vaultId, '10'));
    const setup = await signedSetup();

    await service.stop();
    for (const [path, body] of [
      ['/v1/testing/fund-wallet', fund({ usdcAmount: '1' })],
      ['/v1/yield/setup-relay', setup],
    ] as const) {
      const { status, headers, body: refused } = await api.refused('POST', path, body);
      expect([path, status, refused.code, refused.error]).toEqual([
        path,
        503,
        'FORK_NOT_RUNNING',
        'Fork is not running',
      ]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const status = await api.refused('GET', `/v1/yield/status?userAddress=${agent.address}`);
    expect([status.status, status.body.code]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
    expect((await api.discover({ chain: 'base' })).count).toBeGreaterThan(0);
    expect((await api.call('GET', '/health')).status).toBe(200);
    const forks = await api.forkStatus();
    expect([forks.health.status, forks.health.activeForks]).toEqual(['unavailable', 0]);

    service = await startService(Number(new URL(service.url).port));
    const again = await untilAccepted<FundWalletResponse>(
      api,
      '/v1/testing/fund-wallet',
      fund({ usdcAmount: '1' }),
      'FORK_NOT_RUNNING',
    );
    expect(again.forkId).toBe(forkId);
    expect(
      await untilAccepted<SetupRelayResponse>(api, '/v1/yield/setup-relay', setup, 'FORK_NOT_RUNNING'),
    ).toMatchObject({ relayMode: 'managed-fork', setupRequired: 'none' });
    const body = { operation: 'redeem', agentAddress: agent.address, vaultId, percentage: 50 };
    const prepared = await untilAccepted<PrepareExecutionResponse>(
      api,
      '/v1/yield/prepare',
      body,
      'UPSTREAM_UNAVAILABLE',
    );
    expect(await deposits()).toEqual(['10']);
    const executed = await untilAccepted<ExecuteResponse>(
      api,
      '/v1/yield/execute',
      await signPrepared(agent, prepared),
      'UPSTREAM_UNAVAILABLE',
    );
    expect(executed).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
    expect(Number((await deposits())[0])).toBeCloseTo(5, 4);
  }, 90_000);

  it('behavior: nothing that it started outlives a killed one', async () => {
    const started = [...descendantProcesses(service.child.pid ?? 0).keys()];
    expect(started).not.toEqual([]);
    await service.kill();
    expect(await untilEnded(started)).toEqual([]);
  }, 30_000);
});
