import { createApp } from '@yield-vault/api';
import { loadConfig } from '@yield-vault/deployment';
import { fastify } from 'fastify';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot } from '../repository-root.js';
import { BareController, preparedResponses } from './bare.controller.js';
import { barePath, discoverPath, queries } from './queries.js';

/** The message of the measured process when it is ready. */
export interface ServersReady {
  readonly apiUrl: string;
  /** The same responses from Fastify with nothing around it. */
  readonly rawUrl: string;
}

// The measured process: the API on a database that the bench filled.
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
  },
);

const discover = (query: object) => app.inject({ method: 'POST', url: discoverPath, payload: query });
while ((await discover({})).statusCode === 503) await sleep(100);
for (const [index, query] of queries.entries()) {
  const { statusCode, rawPayload, body } = await discover(query);
  if (statusCode !== 200) throw new Error(`Discover answered ${String(statusCode)}: ${body}`);
  preparedResponses.set(barePath(index), rawPayload);
}

const raw = fastify();
for (const [path, response] of preparedResponses)
  raw.post(path, (_request, reply) => reply.type('application/json; charset=utf-8').send(response));

const ready: ServersReady = {
  apiUrl: await app.listen(0, '127.0.0.1').then(() => app.getUrl()),
  rawUrl: await raw.listen({ port: 0, host: '127.0.0.1' }),
};
// A message asks for the processor time so far, or for the longest delay of the event loop since the last one, in
// milliseconds.
const delays = monitorEventLoopDelay({ resolution: 1 });
process.on('message', (question) => {
  const { user, system } = process.cpuUsage();
  delays.enable();
  process.send?.(question === 'cpu' ? (user + system) / 1e3 : delays.max / 1e6);
  if (question === 'delay') delays.reset();
});
process.once('disconnect', () => {
  void app.close().then(() => process.exit());
});
process.send?.(ready);
