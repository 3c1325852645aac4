import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeServer } from '@yield-vault/server';
import { serviceVersion } from '../version.js';

const description = `Forks of chains for the API servers: one persistent fork of each chain, and ephemeral forks.

Operators send their credential as \`Authorization: Bearer <credential>\`. Wallets and bundlers call \`/rpc/{chain}\`
without one; methods that control the node are refused there.

Every error outside \`/rpc\` has the same body: a stable \`code\`, what was wrong in \`detail\`, and what to do next in
\`nextAction\`. Every response carries \`X-Request-Id\`. Amounts are decimal digits in base units.`;

const tags: readonly (readonly [name: string, description: string])[] = [
  ['Forks', 'Create, list and destroy forks'],
  ['Control', 'Fund wallets, mine, move the clock, take snapshots'],
  ['RPC', 'Plain JSON-RPC for wallets and bundlers'],
  ['Service', 'Health and metrics'],
];

/** Describe the service in OpenAPI. */
export function createDocument(app: INestApplication): OpenAPIObject {
  return describeServer(app, {
    title: 'Fork Service',
    description,
    version: serviceVersion,
    tags,
    bearer: 'FORK_SERVICE_CREDENTIAL of this service.',
  });
}
