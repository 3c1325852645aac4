import { createTemporaryPostgres } from '@yield-vault/database/testing';
import type { ExecuteResponse } from '@yield-vault/protocol';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { describeWithPostgres } from '../test/support/describe-with-postgres.js';
import { fundedAgent, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { startProxies, type Proxies } from '../test/support/start-proxies.js';
import { startServer, type Server } from '../test/support/start-server.js';

const executes = 6;

describeWithPostgres('a server with one database connection and room for few operations', () => {
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let proxies: Proxies;
  let server: Server;
  let api: ApiClient;

  beforeAll(async () => {
    postgres = await createTemporaryPostgres();
    proxies = await startProxies();
    server = await startServer({
      backfillHours: 30,
      upstreams: proxies.upstreams,
      env: { DATABASE_URL: postgres.url, DATABASE_POOL_SIZE: '1', MAX_EXECUTES: String(executes) },
    });
    api = await createApiClient(server.url);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await proxies?.stop();
    await postgres?.drop();
  });

  it('behavior: waiting executes hold no connection, and one more than the limit is refused at once', async () => {
    const agent = await fundedAgent();
    const { vaultId } = await usdcVault(api);
    await setUp(api, agent, vaultId);
    const intent = await signedDeposit(api, agent, vaultId);
    const { bundler } = proxies;
    bundler.setDelay(4_000);
    const ended: string[] = [];
    const note = <T>(name: string, work: Promise<T>) => work.finally(() => ended.push(name));
    const waiting = Array.from({ length: executes }, () =>
      note('execute', api.call('POST', '/v1/yield/execute', intent)),
    );
    while (bundler.callsOf('eth_sendUserOperation').length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));

    const refused = await note('refused', api.refused('POST', '/v1/yield/execute', intent));
    expect([refused.status, refused.body.code, refused.body.details['dependency']]).toEqual([
      ...[503, 'UPSTREAM_UNAVAILABLE', 'capacity'],
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Each of these reads the database.
    for (let i = 0; i < 5; i++) await note('history', api.history({ vaultId, period: '24h' }));
    bundler.setDelay(0);
    const responses = await Promise.all(waiting);
    expect(ended).toEqual([
      'refused',
      ...Array<string>(5).fill('history'),
      ...Array<string>(executes).fill('execute'),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(Array(executes).fill(200));
    const results = responses.map(({ body }) => (body as ExecuteResponse).result);
    expect(results.filter((result) => result === 'executed')).toHaveLength(1);
  });
});
