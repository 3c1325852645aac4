import { createTemporaryPostgres } from '@yield-vault/database/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { describeWithPostgres } from '../test/support/describe-with-postgres.js';
import { fundedAgent, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { startProxies, type Proxies } from '../test/support/start-proxies.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

const expirySeconds = 25;

describeWithPostgres('a restored backup', () => {
  let proxies: Proxies;
  const databases: { url: string; drop: () => Promise<void> }[] = [];
  const servers: Server[] = [];
  let api: ApiClient;

  const start = async (url: string) => {
    const server = await startServer({
      backfillHours: 30,
      intents: { expirySeconds },
      upstreams: proxies.upstreams,
      env: { DATABASE_URL: url },
    });
    servers.push(server);
    api = await createApiClient(server.url);
    return server;
  };
  const copyOf = async (url?: string) => {
    databases.push(await createTemporaryPostgres(url));
    return databases.at(-1)!.url;
  };

  beforeAll(async () => {
    proxies = await startProxies();
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await proxies?.stop();
    await Promise.all(databases.map(({ drop }) => drop()));
  });

  it('default: intents from before and after the backup are known or found on chain, and never sent again', async () => {
    const live = await copyOf();
    const first = await start(live);
    const agent = await fundedAgent();
    const { vaultId } = await usdcVault(api);
    await setUp(api, agent, vaultId);
    const deposit = async () => {
      const intent = await signedDeposit(api, agent, vaultId);
      return { intent, response: await api.execute(intent) };
    };
    const yesterday = await deposit();

    // A template must not be in use.
    await first.end('SIGTERM');
    const backup = await copyOf(live);
    servers.push(await first.restart());
    api = await createApiClient(first.url);
    const today = [await deposit(), await deposit()];
    await servers.at(-1)!.end('SIGKILL');

    await start(backup);
    const sends = () => proxies.bundler.callsOf('eth_sendUserOperation').length;
    const sent = sends();
    // The first call for an intent that the restored ledger does not know reserves it.
    const result = expect.stringMatching(/^(already_)?executed$/) as unknown;
    const executeAgain = async (executed: readonly (typeof yesterday)[]) => {
      for (const { intent, response } of executed)
        expect(await api.execute(intent)).toEqual({ ...response, result });
    };
    await executeAgain([yesterday, today[0]!]);
    const expiry = today.at(-1)!.intent.intentEnvelope.expiry;
    await until(
      () => Promise.resolve(Date.now() / 1_000),
      (seconds) => seconds > expiry + 2,
    );
    await executeAgain([yesterday, ...today]);
    expect(sends()).toBe(sent);
    const { positions } = await api.status(agent.address);
    expect(positions).toMatchObject([{ vaultId, depositedAmount: expect.stringMatching(/^1(5|4\.9999)/) }]);
  }, 180_000);
});
