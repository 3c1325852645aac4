import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import { startRpcProxy, type RpcProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { fundedAgent, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

const expirySeconds = 25;

if (!isPostgresReachable()) {
  it('needs PostgreSQL, which does not run here', () => expect(isPostgresReachable()).toBe(false));
} else {
  describe('a restored backup', () => {
    let bundler: RpcProxy;
    const databases: { url: string; drop: () => Promise<void> }[] = [];
    const servers: Server[] = [];
    let api: ApiClient;

    const start = async (url: string) => {
      const { base } = devnetChains();
      const server = await startServer({
        backfillHours: 30,
        intents: { expirySeconds },
        upstreams: { base: { rpcUrl: base.rpcUrl, bundlerUrl: bundler.url } },
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
      bundler = await startRpcProxy(devnetChains().base.bundlerUrl);
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await bundler?.stop();
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
      const sent = bundler.callsOf('eth_sendUserOperation').length;
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
      expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(sent);
      const { positions } = await api.status(agent.address);
      expect(positions).toMatchObject([{ vaultId, depositedAmount: expect.stringMatching(/^1(5|4\.9999)/) }]);
    }, 180_000);
  });
}
