import { setTimeout as pause } from 'node:timers/promises';
import { buildDeposit, buildExecute, buildSetupRelay, buildTicket } from '../support/build-requests.js';
import { examples } from '../../src/openapi/examples.js';
import { startDownApp } from '../support/start-down-app.js';

let app: Awaited<ReturnType<typeof startDownApp>>;
const start = async (env: Record<string, string>) => void (app = await startDownApp(env));
const stop = () => app.stop();
const get = (url: string) => app.get(url);
const post = (url: string, payload: object) => app.post(url, payload);
const fund = () =>
  post('/v1/testing/fund-wallet', { chain: 'base', walletAddress: examples.testWallet, ethWei: '1' });

const notReady = async () => {
  const { details } = (await get('/health/ready')).json<{ details: { waitingFor: string[] } }>();
  return details.waitingFor;
};

async function responses() {
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  const all = await Promise.all([
    post('/v1/yield/discover', {}),
    post('/v1/yield/prepare', buildDeposit()),
    post('/v1/yield/execute', buildExecute()),
    post('/v1/yield/setup-relay', buildSetupRelay({ setupTicket: buildTicket({ expiresAt }) })),
    get(`/v1/yield/status?userAddress=${examples.agentAddress}`),
    get('/v1/yield/history?vaultId=1'),
    get('/v1/yield/vaults'),
    get('/v1/yield/vaults/1'),
    fund(),
  ]);
  return all.map((answer) => [answer.statusCode, answer.json<{ code: string }>().code]);
}

describe('createApp with every chain down', () => {
  beforeAll(() => start({ RELAY_MODE: 'chain' }), 60_000);
  afterAll(stop, 30_000);

  it('behavior: health responds within a second and says so', async () => {
    const before = performance.now();
    const response = await get('/health');
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      status: 'degraded',
      preflightMode: 'enforce',
      chains: { base: { rpc: 'down', blockNumber: null }, ethereum: { rpc: 'down', blockNumber: null } },
    });
  });

  it('behavior: it is not ready', async () => {
    expect((await get('/health/ready')).statusCode).toBe(503);
  });

  it('behavior: every route responds in the words of the interface', async () => {
    expect(await responses()).toEqual([
      [503, 'DATA_STALE'],
      [503, 'DATA_STALE'],
      [400, 'TRANSACTION_VALIDATION_FAILED'],
      [400, 'SETUP_TRANSACTION_REJECTED'],
      [503, 'DATA_STALE'],
      [503, 'DATA_STALE'],
      [503, 'DATA_STALE'],
      [503, 'DATA_STALE'],
      [503, 'FORKS_NOT_CONFIGURED'],
    ]);
  }, 60_000);
});

describe('createApp where wallets act on managed forks, and none are configured', () => {
  beforeAll(() => start({}), 60_000);
  afterAll(stop, 30_000);

  it('error: ForksNotConfiguredError wherever a fork is needed, and nowhere else', async () => {
    expect(await responses()).toEqual([
      [503, 'DATA_STALE'],
      [503, 'FORKS_NOT_CONFIGURED'],
      [503, 'FORKS_NOT_CONFIGURED'],
      [503, 'FORKS_NOT_CONFIGURED'],
      // Status reads no chain before the vaults are ranked.
      [503, 'DATA_STALE'],
      [503, 'DATA_STALE'],
      [503, 'DATA_STALE'],
      [503, 'DATA_STALE'],
      [503, 'FORKS_NOT_CONFIGURED'],
    ]);
  }, 60_000);

  it('behavior: readiness waits for no bundler of a fork that is not configured', async () => {
    let waitingFor = await notReady();
    // The first look at a chain that is down takes as long as its retries.
    while (waitingFor.includes('bundler:base')) {
      await pause(50);
      waitingFor = await notReady();
    }
    expect(waitingFor).toEqual(expect.arrayContaining(['ranking:base', 'rpc:base', 'rpc:ethereum']));
  });

  it('behavior: fork-status says that nothing makes forks', async () => {
    const response = await get('/v1/testing/fork-status');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      preflightMode: 'enforce',
      health: { status: 'unavailable', activeForks: 0 },
      primaryForks: [],
      activeForks: { base: { count: 0 }, ethereum: { count: 0 } },
    });
  });
});

describe('createApp with a fork service that is down', () => {
  beforeAll(
    () =>
      start({ FORK_SERVICE_URL: 'http://127.0.0.1:1', FORK_SERVICE_CREDENTIAL: 'a credential of nobody' }),
    60_000,
  );
  afterAll(stop, 30_000);

  it('error: ForkNotRunningError with Retry-After for a funding; fork-status still responds', async () => {
    const refused = await fund();
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([503, 'FORK_NOT_RUNNING']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body).not.toContain('credential of nobody');
    expect((await get('/v1/testing/fork-status')).json()).toMatchObject({
      health: { status: 'unavailable' },
      primaryForks: [],
    });
  }, 60_000);

  it('behavior: discovery works, readiness waits for the forks', async () => {
    expect((await post('/v1/yield/discover', {})).json()).toMatchObject({ code: 'DATA_STALE' });
    expect(await notReady()).toEqual(expect.arrayContaining(['rpc:base', 'rpc:ethereum']));
  });
});
