import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeServer } from '@yield-vault/server';
import { serviceVersion } from '../version.js';

const description = `Forks of chains for several servers: one persistent fork for each chain, and ephemeral ones.

Operators send their credential as \`Authorization: Bearer <credential>\`. Wallets and bundlers call \`/rpc/{chain}\`
without one; methods that command the node are refused there.

Every error outside \`/rpc\` has the same body, with a stable \`code\`, what was wrong with this call in \`detail\`, and what
to do in \`nextAction\`. Every answer carries \`X-Request-Id\`. Amounts are decimal digits in base units.`;

const tags: readonly (readonly [name: string, description: string])[] = [
  ['Forks', 'Create, list and end forks'],
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
