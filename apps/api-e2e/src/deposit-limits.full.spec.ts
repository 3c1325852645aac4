import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createTemporaryPostgres } from '@yield-vault/database/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { describeWithPostgres } from '../test/support/describe-with-postgres.js';
import {
  fundedAgent,
  setUp,
  signedDeposit,
  signPrepared,
  usdcVault,
  type FundedAgent,
} from '../test/support/funded-agent.js';
import { startProxies, type Proxies } from '../test/support/start-proxies.js';
import { startServer, type Server } from '../test/support/start-server.js';

const operator = resolve(__dirname, '../../operator/dist/main.js');
const followMs = 5_000;

describeWithPostgres('three servers that share a database', () => {
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let proxies: Proxies;
  let servers: Server[] = [];
  let apis: ApiClient[];
  let vaultId: string;

  beforeAll(async () => {
    postgres = await createTemporaryPostgres();
    proxies = await startProxies();
    const env = { DATABASE_URL: postgres.url };
    const start = () =>
      startServer({ backfillHours: 30, upstreams: proxies.upstreams, requestsPerMinute: 10_000, env });
    servers = await Promise.all([start(), start(), start()]);
    apis = await Promise.all(servers.map(({ url }) => createApiClient(url)));
    ({ vaultId } = await usdcVault(apis[0]!));
  }, 180_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await proxies?.stop();
    await postgres?.drop();
  });

  const operate = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [operator, ...args, '--database', postgres.url]);
  const sends = () => proxies.bundler.callsOf('eth_sendUserOperation').length;

  it('behavior: paused under load, no server submits a deposit 5 s later, and each redeem passes', async () => {
    const agents: { readonly api: ApiClient; readonly agent: FundedAgent }[] = [];
    for (const api of [...apis, ...apis]) {
      const agent = await fundedAgent();
      await setUp(api, agent, vaultId);
      await api.execute(await signedDeposit(api, agent, vaultId, '2'));
      agents.push({ api, agent });
    }
    // One wallet signs a deposit before the pause. The others deposit without end, each through one server.
    const [held, ...loaded] = agents;
    const signed = await signedDeposit(held!.api, held!.agent, vaultId, '1');
    let isLoaded = true;
    const codes = new Map<string, number>();
    const load = loaded.map(async ({ api, agent }) => {
      while (isLoaded) {
        const body = { chain: 'base', agentAddress: agent.address, vaultId, asset: 'USDC', amount: '0.1' };
        const prepared = await api.call('POST', '/v1/yield/prepare', body);
        const response =
          prepared.status === 200
            ? await api.call('POST', '/v1/yield/execute', await signPrepared(agent, prepared.body as never))
            : prepared;
        const code = (response.body as { code?: string }).code ?? 'executed';
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code === 'DEPOSITS_PAUSED') await sleep(100);
      }
    });
    await sleep(3_000);
    const before = sends();
    await operate('pause', '--reason', 'test');
    await sleep(followMs);
    const stopped = sends();
    await sleep(followMs);
    expect(sends()).toBe(stopped);
    isLoaded = false;
    await Promise.all(load);
    expect(stopped).toBeGreaterThanOrEqual(before);
    expect([...codes.keys()]).toEqual(expect.arrayContaining(['DEPOSITS_PAUSED', 'executed']));

    for (const api of apis) {
      expect((await api.call('GET', '/health')).body).toMatchObject({ paused: ['deposits'] });
      const { status, body, headers } = await api.refused('POST', '/v1/yield/execute', signed);
      expect([status, body.code, Number(headers.get('retry-after'))]).toEqual([503, 'DEPOSITS_PAUSED', 60]);
    }
    expect(sends()).toBe(stopped);
    const redeemed = await Promise.all(
      agents.map(async ({ api, agent }) => {
        const request = { operation: 'redeem', chain: 'base', vaultId, percentage: 50 };
        const prepared = await api.prepare({ ...request, agentAddress: agent.address });
        return api.execute(await signPrepared(agent, prepared));
      }),
    );
    expect(new Set(redeemed.map(({ result }) => result))).toEqual(new Set(['executed']));

    await operate('resume');
    await sleep(followMs);
    for (const api of apis) expect((await api.call('GET', '/health')).body).toMatchObject({ paused: [] });
    const after = await signedDeposit(held!.api, held!.agent, vaultId, '1');
    expect(await held!.api.execute(after)).toMatchObject({ result: 'executed' });
  }, 240_000);

  it('behavior: of three deposits that each fit below the cap, sent at once to three servers, one passes', async () => {
    const agents = await Promise.all(
      apis.map(async (api) => {
        const agent = await fundedAgent();
        await setUp(api, agent, vaultId);
        return { api, agent, intent: await signedDeposit(api, agent, vaultId, '4') };
      }),
    );
    await operate('cap', '--total', '0');
    await sleep(followMs);
    const { agent } = agents[0]!;
    const deposit = { chain: 'base', agentAddress: agent.address, vaultId, asset: 'USDC', amount: '1' };
    const { body } = await apis[0]!.refused('POST', '/v1/yield/prepare', deposit);
    expect(body).toMatchObject({ code: 'DEPOSIT_CAP_REACHED', details: { scope: 'total', limitUsd: 0 } });
    const held = body.details['heldUsd'] as number;
    await operate('cap', '--total', (held + 6).toFixed(2));
    await sleep(followMs);
    const responses = await Promise.all(
      agents.map(({ api, intent }) => api.call('POST', '/v1/yield/execute', intent)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    for (const { status, body: refusal } of responses)
      if (status === 400) expect(refusal).toMatchObject({ code: 'DEPOSIT_CAP_REACHED' });
    await operate('cap', '--total', 'none');
  }, 120_000);
});
