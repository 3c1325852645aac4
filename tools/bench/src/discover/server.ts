import { createApp, loadConfig } from '@yield-vault/api';
import { fastify } from 'fastify';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot } from '../repository-root.js';
import { BareController, preparedAnswers } from './bare.controller.js';
import { barePath, discoverPath, queries } from './queries.js';

/** What the process of the servers tells the bench. */
export interface ServersReady {
  readonly apiUrl: string;
  /** Fastify with nothing but a route that has the prepared answers. */
  readonly rawUrl: string;
}

// The process that is measured: the API on a database that somebody else filled.
const [, , databaseUrl = '', directory = ''] = process.argv;
const unused = 'http://127.0.0.1:1';
const { deployment, registry } = loadConfig({
  YIELD_VAULT_CONFIG: join(repositoryRoot, 'config/local.yaml'),
  RELAY_MODE: 'chain',
  DATABASE_URL: databaseUrl,
  DATA_DIRECTORY: directory,
  ...{ BASE_RPC_URL: unused, BASE_BUNDLER_URL: unused },
  ...{ ETHEREUM_RPC_URL: unused, ETHEREUM_BUNDLER_URL: unused },
});
const { base } = deployment.chains;
const unlimited = Object.fromEntries(Object.keys(deployment.rateLimits.perMinute).map((key) => [key, 1e9]));
const app = await createApp(
  {
    ...deployment,
    chains: { base: base! },
    discovery: { ...deployment.discovery, sampler: 'external' },
    preflight: { ...deployment.preflight, mode: 'off' },
    rateLimits: {
      ...deployment.rateLimits,
      perMinute: unlimited as typeof deployment.rateLimits.perMinute,
    },
  },
  {
    registry,
    controllers: [BareController],
    // No chain is asked for anything by discover; probing a dead one would only disturb.
    features: { probeChain: () => Promise.resolve({ blockNumber: 1, rpc: 'ok', bundler: 'ok' }) },
  },
);

const discover = (query: object) => app.inject({ method: 'POST', url: discoverPath, payload: query });
while ((await discover({})).statusCode === 503) await sleep(100);
for (const [index, query] of queries.entries()) {
  const { statusCode, rawPayload, body } = await discover(query);
  if (statusCode !== 200) throw new Error(`Discover answered ${String(statusCode)}: ${body}`);
  preparedAnswers.set(barePath(index), rawPayload);
}

const raw = fastify();
for (const [path, answer] of preparedAnswers)
  raw.post(path, (_request, reply) => reply.type('application/json; charset=utf-8').send(answer));

const ready: ServersReady = {
  rawUrl: await raw.listen({ host: '127.0.0.1', port: 0 }),
  apiUrl: await app.listen(0, '127.0.0.1').then(() => app.getUrl()),
};
process.once('disconnect', () => {
  // Ends by itself, so that a profile of it gets written.
  void Promise.all([app.close(), raw.close()]).then(() => process.exit());
});
process.send?.(ready);
