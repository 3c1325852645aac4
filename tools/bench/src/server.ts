// The measured process: the API on a database that the bench filled.
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { createApp, Limit } from '@yield-vault/api';
import { loadConfig } from '@yield-vault/deployment';
import { fastify, type FastifyRequest } from 'fastify';
import { barePath, discoverPath, queries } from './queries.js';

const [, , environment = '{}'] = process.argv;
const unused = 'http://127.0.0.1:1';
const accessKey = 'bench';
const { deployment, registry } = loadConfig({
  YIELD_VAULT_CONFIG: join(import.meta.dirname, '../../../config/local.yaml'),
  BASE_RPC_URL: unused,
  BASE_BUNDLER_URL: unused,
  ETHEREUM_RPC_URL: unused,
  ETHEREUM_BUNDLER_URL: unused,
  RELAY_MODE: 'chain',
  WORKER: 'external',
  PREFLIGHT_MODE: 'off',
  PAYMENTS_ALLOWLIST: accessKey,
  ...(JSON.parse(environment) as Record<string, string>),
});

/** Responses by path, made before anything is measured. */
const prepared = new Map<string, Buffer>();
const contentType = 'application/json; charset=utf-8';

/**
 * The ceiling: the time of a request that the server neither validates nor handles. Hooks, body parser, guards,
 * interceptor and log line are the same as for discover.
 */
@Controller()
class BareController {
  @Post(queries.map((_, index) => barePath(index)))
  @HttpCode(200)
  @Header('content-type', contentType)
  @Limit('discover')
  response(@Req() { url }: FastifyRequest): Buffer | undefined {
    return prepared.get(url);
  }
}

const { perMinute } = deployment.rateLimits;
const unlimited = Object.fromEntries(Object.keys(perMinute).map((key) => [key, 1e9])) as typeof perMinute;
const app = await createApp(
  {
    ...deployment,
    chains: { base: deployment.chains['base']! },
    // The clients of the bench name themselves.
    server: { ...deployment.server, trustProxy: 1 },
    rateLimits: { ...deployment.rateLimits, perMinute: unlimited },
  },
  { registry, controllers: [BareController] },
);
const discover = (query: object) =>
  app.inject({ method: 'POST', url: discoverPath, payload: query, headers: { 'x-access-key': accessKey } });
while ((await discover({})).statusCode === 503) await sleep(100);
const raw = fastify();
for (const [index, query] of queries.entries()) {
  const { statusCode, rawPayload, body } = await discover(query);
  if (statusCode !== 200) throw new Error(`Discover responded ${statusCode}: ${body}`);
  prepared.set(barePath(index), rawPayload);
  raw.post(barePath(index), (_, reply) => reply.type(contentType).send(rawPayload));
}

// A message asks for the longest delay of the event loop since the last message.
const delays = monitorEventLoopDelay({ resolution: 1 });
process.on('message', () => {
  delays.enable();
  process.send?.(delays.max / 1e6);
  delays.reset();
});
process.once('disconnect', () => {
  void app.close().then(() => process.exit());
});
await app.listen(0, '127.0.0.1');
process.send?.([await app.getUrl(), await raw.listen({ port: 0, host: '127.0.0.1' })]);
