import { openDatabase } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from '@yield-vault/database/testing';
import type { ExecuteResponse, SetupRelayResponse } from '@yield-vault/protocol';
import { startRpcProxy, startTcpProxy, type RpcProxy, type TcpProxy } from '@yield-vault/testing';
import { createApiClient, type ApiClient, type ErrorBody } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { fundedAgent, prepareSetup, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

const backfillHours = 30;

/** Options of Node that put the clock of a process ahead. */
const clockAhead = (ms: number) => {
  const code = `const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() + ${ms}); }
      static now() { return Real.now() + ${ms}; }
    };`;
  return `--import data:text/javascript,${encodeURIComponent(code)}`;
};

if (!isPostgresReachable()) {
  it('needs PostgreSQL, which does not run here', () => {
    process.stderr.write(`PostgreSQL is not reachable at ${testPostgresUrl}: replicas are not tested.\n`);
    expect(isPostgresReachable()).toBe(false);
  });
} else {
  describe('two servers on one database', () => {
    let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
    let tcp: TcpProxy;
    let database: DatabaseHandle;
    let rpc: RpcProxy;
    let bundler: RpcProxy;
    let start: (env?: Readonly<Record<string, string>>) => Promise<Server>;
    let servers: Server[] = [];
    let apis: [ApiClient, ApiClient];

    beforeAll(async () => {
      const { base } = devnetChains();
      postgres = await createTemporaryPostgres();
      tcp = await startTcpProxy(postgres.url);
      const proxied = new URL(postgres.url);
      proxied.port = String(tcp.port);
      [rpc, bundler] = await Promise.all([startRpcProxy(base.rpcUrl), startRpcProxy(base.bundlerUrl)]);
      start = (env) =>
        startServer({
          backfillHours,
          requestsPerMinute: 10_000,
          upstreams: { base: { rpcUrl: rpc.url, bundlerUrl: bundler.url } },
          env: { DATABASE_URL: proxied.href, ...env },
        });
      // At once, on an empty database: both migrate it and both read the same hours.
      servers = await Promise.all([start(), start()]);
      apis = [await createApiClient(servers[0]!.url), await createApiClient(servers[1]!.url)];
      database = await openDatabase({ url: postgres.url });
    }, 120_000);
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database?.close();
      await Promise.all([rpc?.stop(), bundler?.stop(), tcp?.stop()]);
      await postgres?.drop();
    });

    it('behavior: both sample the same hours, once each, and rank alike', async () => {
      const [first, second] = await Promise.all(
        apis.map((api) => api.discover({ chain: 'base', limit: 20 })),
      );
      expect(first!.count).toBeGreaterThan(0);
      expect(first!.vaults.map(({ vaultId }) => vaultId).sort()).toEqual(
        second!.vaults.map(({ vaultId }) => vaultId).sort(),
      );
      const hoursOfVaults = async () => {
        const rows = await database.db
          .selectFrom('vault_snapshot')
          .select((e) => e.fn.countAll().as('hours'))
          .groupBy('vault_id')
          .execute();
        return rows.map(({ hours }) => Number(hours));
      };
      // A slow machine ranks the vaults before it has read all hours. One local vault is younger than the backfill.
      await until(hoursOfVaults, (seen) => seen.filter((hours) => hours >= backfillHours).length >= 14);
      for (const server of servers) expect(server.log()).not.toContain('sampling failed');
    });

    it('behavior: a setup and an intent sent to both at once reach the chain once', async () => {
      const agent = await fundedAgent();
      const { vaultId } = await usdcVault(apis[0]);
      const { setup, setupTicket } = await prepareSetup(apis[0], agent, vaultId);
      const request = { setupTicket, signedRawTx: await agent.signSetup(setup), confirmations: 1 };
      const setups = await Promise.all(apis.map((api) => api.call('POST', '/v1/yield/setup-relay', request)));
      expect(setups.map(({ status }) => status)).toEqual([200, 200]);
      expect((setups[0]!.body as SetupRelayResponse).setupRequired).toBe('none');
      expect(setups[1]!.body).toEqual(setups[0]!.body);
      expect(rpc.callsOf('eth_sendRawTransaction')).toHaveLength(1);

      const intent = await signedDeposit(apis[0], agent, vaultId, '5');
      const responses = await Promise.all(apis.map((api) => api.call('POST', '/v1/yield/execute', intent)));
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      const executions = responses.map(({ body }) => body as ExecuteResponse);
      expect(executions.map(({ result }) => result).sort()).toEqual(['already_executed', 'executed']);
      expect({ ...executions[0], result: '' }).toEqual({ ...executions[1], result: '' });
      expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(1);
      const { positions } = await apis[1].status(agent.address);
      expect(positions).toMatchObject([
        { vaultId, depositedAmount: expect.stringMatching(/^(5|4\.99999\d)/) },
      ]);
    });

    it('behavior: of 200 identical executes at once, one submits and the others wait for it', async () => {
      const agent = await fundedAgent();
      const { vaultId } = await usdcVault(apis[0]);
      await setUp(apis[0], agent, vaultId);
      const intent = await signedDeposit(apis[0], agent, vaultId, '5');
      const sent = bundler.callsOf('eth_sendUserOperation').length;
      const responses = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          apis[index % 2 === 0 ? 0 : 1].call('POST', '/v1/yield/execute', intent),
        ),
      );
      expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
      const executions = responses.map(({ body }) => body as ExecuteResponse);
      expect(executions.filter(({ result }) => result === 'executed')).toHaveLength(1);
      expect(new Set(executions.map(({ txHash, userOpHash }) => txHash + userOpHash)).size).toBe(1);
      expect(bundler.callsOf('eth_sendUserOperation')).toHaveLength(sent + 1);
    });

    it('behavior: what a process prepares, one relays whose clock is 30 s behind or ahead', async () => {
      const server = await start({ NODE_OPTIONS: clockAhead(30_000) });
      try {
        const ahead = await createApiClient(server.url);
        for (const [preparing, relaying] of [
          [ahead, apis[0]],
          [apis[0], ahead],
        ] as const) {
          const agent = await fundedAgent();
          const { vaultId } = await usdcVault(preparing);
          const { setup, setupTicket } = await prepareSetup(preparing, agent, vaultId);
          const signedRawTx = await agent.signSetup(setup);
          await relaying.setupRelay({ setupTicket, signedRawTx, confirmations: 1 });
          const intent = await signedDeposit(preparing, agent, vaultId, '5');
          expect(await relaying.execute(intent)).toMatchObject({ result: 'executed' });
        }
      } finally {
        await server.stop();
      }
    }, 60_000);

    it('behavior: while the database is away answers from memory go on, the rest is 503, then recovers', async () => {
      const [api] = apis;
      const { vaultId } = await usdcVault(api);
      const history = `/v1/yield/history?vaultId=${vaultId}&period=24h`;
      tcp.cut();
      const refused = await Promise.all(Array.from({ length: 20 }, () => api.refused('GET', history)));
      for (const { status, body, headers } of refused) {
        expect([status, (body satisfies ErrorBody).code, body.retryable]).toEqual([
          503,
          'UPSTREAM_UNAVAILABLE',
          true,
        ]);
        expect(body.details).toMatchObject({ dependency: 'database' });
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await api.discover({ chain: 'base' })).count).toBeGreaterThan(0);
      tcp.restore();
      expect((await api.call('GET', history)).status).toBe(200);
    });
  });
}
