import { childProcesses } from '@yield-vault/testing';
import type { ExecuteResponse, FundWalletResponse, SetupRelayResponse } from '@yield-vault/protocol';
import type { Agent } from '../test/support/agent.js';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedForkService } from '../test/support/devnet.js';
import {
  prepareDeposit,
  prepareSetup,
  runIntent,
  signedDeposit,
  usdcVault,
} from '../test/support/funded-agent.js';
import { untilAccepted } from '../test/support/retry.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { createViemAgent } from '../test/support/viem-agent.js';

describe('a persistent fork that is made anew', () => {
  let server: Server;
  let api: ApiClient;
  let agent: Agent;
  let vaultId: string;
  let vaultAddress: string;
  let setupRequest: object;
  let forkId: string;

  beforeAll(async () => {
    server = await startServer({ forkService: sharedForkService(), backfillHours: 48 });
    api = await createApiClient(server.url);
    agent = await createViemAgent(forkedChains().base.walletRpcUrl);
    ({ vaultId, vaultAddress } = await usdcVault(api));
  }, 60_000);
  afterAll(() => server?.stop());

  const fundBody = () => ({
    chain: 'base',
    walletAddress: agent.address,
    ethWei: '5000000000000000',
    usdcAmount: '50000000',
  });
  const redeem = (percentage: number) => runIntent(api, agent, { operation: 'redeem', vaultId, percentage });
  const deposits = async () =>
    (await api.status(agent.address)).positions.map((each) => each.depositedAmount);
  const currentFork = async () =>
    (await api.forkStatus()).primaryForks.find(({ chain }) => chain === 'base')?.id;
  const anvilsOfBase = () =>
    [...childProcesses(sharedForkService().pid)]
      .filter(([, command]) => command.includes('bin/anvil') && command.includes('8453'))
      .map(([pid]) => pid);

  it('default: a wallet is funded, set up and has a position', async () => {
    ({ forkId } = await api.fundWallet(fundBody()));
    const { setup, setupTicket } = await prepareSetup(api, agent, vaultId);
    setupRequest = { setupTicket, signedRawTx: await agent.signSetup(setup), confirmations: 10 };
    expect(await api.setupRelay(setupRequest)).toMatchObject({ setupRequired: 'none' });
    const deposit = await signedDeposit(api, agent, vaultId, '10');
    expect(await api.execute(deposit)).toMatchObject({ result: 'executed' });
    expect(await deposits()).toEqual(['10']);
  }, 60_000);

  it('behavior: a restart of the server changes nothing of it', async () => {
    expect(await server.end('SIGTERM')).toBe(0);
    server = await server.restart();
    api = await createApiClient(server.url);
    expect(await currentFork()).toBe(forkId);
    expect(await deposits()).toEqual(['10']);
    expect(await prepareDeposit(api, agent, vaultId, '1')).toMatchObject({ needsSetup: false });
  }, 60_000);

  it('behavior: its Anvil is killed: the next one has a new id, and nothing of the wallet', async () => {
    const killed = anvilsOfBase();
    expect(killed).not.toEqual([]);
    for (const pid of killed) process.kill(pid, 'SIGKILL');

    const path = '/v1/testing/fund-wallet';
    const again = await untilAccepted<FundWalletResponse>(api, path, fundBody(), 'FORK_NOT_RUNNING');
    expect(again.forkId).not.toBe(forkId);
    expect(await currentFork()).toBe(again.forkId);
    expect(again.funded).toMatchObject({
      eth: { resultingBalanceWei: '5000000000000000' },
      usdc: { resultingBalanceBaseUnits: '50000000' },
    });
    expect(await deposits()).toEqual([]);
    forkId = again.forkId;
  }, 60_000);

  it('behavior: the same wallet starts over, with the very setup transaction of the first time', async () => {
    const needed = await prepareDeposit(api, agent, vaultId, '10');
    expect(needed).toMatchObject({ needsSetup: true, setupType: 'full' });
    const relayed = await untilAccepted<SetupRelayResponse>(api, '/v1/yield/setup-relay', setupRequest);
    expect(relayed).toMatchObject({ delegationVerified: true, modulesVerified: true, setupRequired: 'none' });

    const deposit = await signedDeposit(api, agent, vaultId, '10');
    const executed = await untilAccepted<ExecuteResponse>(
      api,
      '/v1/yield/execute',
      deposit,
      'TRANSACTION_PENDING',
    );
    expect(executed).toMatchObject({ result: 'executed', receipt: { status: 'success' } });
    expect(await deposits()).toEqual(['10']);
    expect(await redeem(50)).toMatchObject({ result: 'executed' });
    expect(await redeem(100)).toMatchObject({ result: 'executed' });
    expect(await agent.shareBalance(vaultAddress)).toBe(0n);
    expect(await deposits()).toEqual([]);
    expect(await currentFork()).toBe(forkId);
  }, 60_000);
});
