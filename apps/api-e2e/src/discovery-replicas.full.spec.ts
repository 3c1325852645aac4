import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryPostgres } from '@yield-vault/database/testing';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { describeWithPostgres } from '../test/support/describe-with-postgres.js';
import { fundedAgent } from '../test/support/funded-agent.js';
import { readMetric } from '../test/support/read-metric.js';
import {
  startWorker,
  startServer,
  type RunningProgram,
  type Server,
  type ServerOptions,
} from '../test/support/start-server.js';
import { until } from '../test/support/until.js';

const backfillHours = 26;
// An idle chain of the devnet has a block every 15 seconds.
const maxRankingAgeSeconds = 30;
const discovery = {
  ...{ sampleIntervalSeconds: 2, probeIntervalSeconds: 10, followIntervalSeconds: 1 },
  maxRankingAgeSeconds,
};

describeWithPostgres('the worker', () => {
  let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let settings: ServerOptions;

  beforeEach(async () => {
    postgres = await createTemporaryPostgres();
    settings = { backfillHours, discovery, env: { DATABASE_URL: postgres.url } };
  });
  afterEach(() => postgres?.drop());

  const isLeading = async ({ url }: Server) => (await readMetric(url, 'yield_vault_worker_leader')) === 1;
  /** Milliseconds since the epoch. */
  const newestSnapshotOf = async ({ url }: Server) => {
    const age = await readMetric(url, 'yield_vault_snapshot_age_seconds', { chain: 'base' });
    return age === undefined ? -Infinity : Date.now() - age * 1_000;
  };
  const freshnessOf = async ({ url }: Server) => {
    const health = (await (await fetch(`${url}/health`)).json()) as {
      freshness: { snapshotFreshnessStatus: string };
    };
    return health.freshness.snapshotFreshnessStatus;
  };

  it('behavior: of two servers one samples; after its end the other samples, and keeps responding', async () => {
    const servers = await Promise.all([startServer(settings), startServer(settings)]);
    try {
      const leading = await Promise.all(servers.map(isLeading));
      expect([...leading].sort()).toEqual([false, true]);
      const [leader, follower] = leading[0] ? servers : [servers[1], servers[0]];
      const apis = await Promise.all([leader, follower].map(({ url }) => createApiClient(url)));
      const [first, second] = await Promise.all(apis.map((api) => api.vaults({ limit: '100' })));
      const ids = (page: typeof first) => page!.vaults.map(({ vaultId }) => vaultId);
      expect(ids(second)).toEqual(ids(first));

      const asking = askWithoutEnd(apis[1]!);
      await leader.end('SIGKILL');
      const killedAt = Date.now();
      await until(() => isLeading(follower), Boolean, 30);
      // It samples, and does not only say so.
      await until(
        () => newestSnapshotOf(follower),
        (newest) => newest > killedAt,
      );
      const { responses, fewest } = await asking.stop();
      expect(responses).toBeGreaterThan(20);
      expect(fewest).toBeGreaterThan(0);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }, 180_000);

  it('behavior: a separate worker feeds two servers; without it their data gets stale, and nothing is prepared from it', async () => {
    const external = { ...settings, env: { ...settings.env, WORKER: 'external' } };
    const worker = await startWorker(external);
    const running: RunningProgram[] = [worker];
    try {
      const servers = await Promise.all([startServer(external), startServer(external)]);
      running.push(...servers);
      expect(await Promise.all(servers.map(isLeading))).toEqual([false, false]);
      const [server] = servers;
      const [api, other] = await Promise.all(servers.map(({ url }) => createApiClient(url)));
      const [best] = (await api!.discover({ asset: 'USDC' })).vaults;
      expect((await other!.explain(best!.vaultId)).listed).toBe(true);

      const { address: agentAddress } = await fundedAgent();
      const deposit = { agentAddress, vaultId: best!.vaultId, asset: 'USDC', amount: '5' };
      expect((await api!.prepare(deposit)).needsSetup).toBe(true);
      expect(await freshnessOf(server!)).toBe('healthy');

      expect(await worker.end('SIGTERM')).toBe(0);
      await until(
        () => freshnessOf(server!),
        (status) => status !== 'healthy',
      );
      // Of the chain that is behind most; the other one follows.
      await until(
        () => api!.call('POST', '/v1/yield/prepare', deposit),
        ({ status }) => status !== 200,
      );
      const { status, body, headers } = await api!.refused('POST', '/v1/yield/prepare', deposit);
      expect([status, body.code, body.retryable]).toEqual([503, 'DATA_STALE', true]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      // Looking costs nothing.
      expect((await api!.discover({ asset: 'USDC' })).count).toBeGreaterThan(0);

      running.push(await startWorker(external));
      await until(
        () => freshnessOf(server!),
        (fresh) => fresh === 'healthy',
      );
      const again = await until(
        () => api!.call('POST', '/v1/yield/prepare', deposit),
        (response) => response.status === 200,
      );
      expect(again.body).toMatchObject({ needsSetup: true });
    } finally {
      await Promise.all(running.map((program) => program.stop()));
    }
  }, 180_000);
});

/** Ask for vaults again and again; a response that is not 200 ends it with an error. */
function askWithoutEnd(api: ApiClient) {
  let isOver = false;
  let responses = 0;
  let fewest = Infinity;
  const request = async () => {
    while (!isOver) {
      fewest = Math.min(fewest, (await api.discover({ limit: 20 })).count);
      responses += 1;
      await sleep(50);
    }
  };
  const failure = request().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  return {
    stop: async () => {
      isOver = true;
      const failed = await failure;
      if (failed) throw failed.error;
      return { responses, fewest };
    },
  };
}
