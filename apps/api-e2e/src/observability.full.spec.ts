import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { facilitatorKey } from '@yield-vault/devnet';
import { listen, type RunningServer } from '@yield-vault/testing';
import { generatePrivateKey } from 'viem/accounts';
import { parse } from 'yaml';
import { createApiClient, jsonPost, type ApiClient } from '../test/support/api-client.js';
import { sharedForkService } from '../test/support/devnet.js';
import { agentOnFork, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { payingFetch } from '../test/support/paying-fetch.js';
import { startServer, type Server } from '../test/support/start-server.js';
import { until } from '../test/support/until.js';
import { createViemAgentOf } from '../test/support/viem-agent.js';

const folder = resolve(__dirname, '../../../config/observability');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** Discover, prepare of the setup, prepare of the deposit. */
const freeCalls = 3;

/** Values that stay as they are while everything works. */
const atRest = new Set(
  [
    ...['ready', 'chain_ready', 'upstream_up', 'upstream_breaker_open', 'worker_leader', 'job_parked'],
    ...['sampling_stopped', 'waits_without_follower_total'],
    ...['errors_total', 'vaults', 'simulations_waiting'],
    ...['operations_running', 'operations_refused_total', 'database_connections', 'paymaster_account'],
    ...['paymaster_price_age_ratio'],
    ...[
      'intents',
      'oldest_open_intent_seconds',
      'overdue_intents',
      'payments_in_flight',
      'payments_resolved_total',
    ],
  ].map((name) => `yield_vault_${name}`),
);

const expressions = (): { readonly place: string; readonly expr: string }[] => [
  ...(parse(read('alerts.yaml')) as Rules).groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr }) => ({ place: alert, expr })),
  ),
  ...(JSON.parse(read('dashboard.json')) as Dashboard).panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ place: title, expr })),
  ),
];

/** Metrics of an expression, each with the labels that it asks for. */
const selectorsOf = (expr: string) =>
  [...expr.matchAll(/(yield_vault_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/(\w+="[^"]*")/g)].map(([, label = '']) => label),
  }));

interface Series {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

async function scrape(url: string): Promise<readonly Series[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    ...{ name, labels, value: Number(value) },
  }));
}

const valueOf = (all: readonly Series[], name: string) =>
  all.filter((each) => each.name === name).reduce((sum, { value }) => sum + value, 0);

describe('config/observability', () => {
  let server: Server;
  let api: ApiClient;
  let source: RunningServer;
  beforeAll(async () => {
    source = await listen(createServer((_, response) => response.end('{"data":{"vaults":{"items":[]}}}')));
    server = await startServer({
      forkService: sharedForkService(),
      backfillHours: 30,
      settings: {
        'keeper.privateKey': generatePrivateKey(),
        'discovery.sources': { morphoUrl: `http://127.0.0.1:${source.port}` },
      },
      env: {
        PAYMENTS: 'on',
        FREE_CALLS_PER_DAY: String(freeCalls),
        FACILITATOR_PRIVATE_KEY: facilitatorKey,
      },
    });
    api = await createApiClient(server.url);
  }, 90_000);
  afterAll(async () => {
    await server?.stop();
    await source?.stop();
  });

  it('default: every metric that the alerts and the dashboard name exists, and moves with a flow', async () => {
    const before = await scrape(server.url);
    const privateKey = generatePrivateKey();
    const agent = await agentOnFork(api, 'base', (rpcUrl) => createViemAgentOf(privateKey, rpcUrl));
    const { vaultId } = await usdcVault(api);
    await setUp(api, agent, vaultId);
    await api.execute(await signedDeposit(api, agent, vaultId));
    await api.status(agent.address);
    await api.refused('GET', '/v1/yield/status');
    // The free calls are used up.
    const paid = await payingFetch(privateKey)(`${server.url}/v1/yield/discover`, jsonPost({}));
    expect(paid.status).toBe(200);

    const expected = expressions().flatMap(({ place, expr }) =>
      selectorsOf(expr).map((selector) => ({ place, ...selector })),
    );
    expect(expected.length).toBeGreaterThan(40);
    const problems = (after: readonly Series[]) =>
      expected.flatMap(({ place, name, labels }) => {
        const found = after.filter(
          (each) => each.name === name && labels.every((label) => each.labels.includes(label)),
        );
        if (found.length === 0) return [`${place}: ${name}{${labels.join()}} does not exist`];
        const isStill = !atRest.has(name) && valueOf(before, name) === valueOf(after, name);
        return isStill ? [`${place}: ${name} does not move`] : [];
      });
    // The worker reads balances every 30 s.
    await until(
      async () => problems(await scrape(server.url)),
      (left) => left.length === 0,
      45,
    );
  }, 120_000);
});
