import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeServer } from '@yield-vault/server';
import type { ServerSettings } from '../settings.js';
import { apiVersion } from '../version.js';
import { discriminatePrepare } from './discriminate-prepare.js';
import { examples } from './examples.js';
import { describePayments } from './describe-payments.js';

const description = `Finds and ranks yield vaults on EVM chains, builds deposits, redeems and rebalances to sign, and relays
the signed documents. Non-custodial: keys and funds stay with the caller, who signs everything locally.

1. \`discover\` vaults.
2. \`prepare\` an operation. With \`needsSetup: true\`, sign the setup transaction, send it to \`setup-relay\`, prepare again.
   Where \`gaslessSetup\` is given, the wallet needs no ether: sign both parts and send them to \`gasless-setup\` instead.
   A wallet that cannot delegate gets plain \`calls\` and sends them itself.
3. Check \`execution.intentEnvelope\`, sign its \`signing\` (EIP-712), and \`execute\`. [Bytes](/guides/bytes.md) has
   every byte that is signed, [REST](/guides/rest.md) a program that checks them.
4. Follow the position with \`status\` and the vault with \`history\`.

Every error but 402 has the same body, with a stable \`code\`, the problem with this call in \`detail\`, and the next
step in \`nextAction\`. Where payments are enforced, \`discover\`, \`prepare\`, \`gasless-setup\` and \`calls\` respond 402 with the price (x402). Repeat the
same request with a payment. Every response carries \`X-Request-Id\`. APY is in percent: 10 means 10 %.

The [guides](/guides/) show each step with real values.`;

const tags: readonly (readonly [name: string, description: string])[] = [
  ['Discovery', 'Find and rank vaults'],
  ['Intents', 'Build and execute operations'],
  ['Relay', "Relay a wallet's setup transaction"],
  ['Portfolio', 'Positions and history'],
  ['Testing', 'Mint test balances; only where testing tools are on'],
  ['Service', 'Health, readiness and metrics'],
];

/** A deployment does not name what it does not serve. */
function usedTags({ tags = [], paths }: OpenAPIObject): OpenAPIObject['tags'] {
  const used = Object.values(paths).flatMap(({ get, post }) => [...(get?.tags ?? []), ...(post?.tags ?? [])]);
  return tags.filter(({ name }) => used.includes(name));
}

/** Describe the server in OpenAPI; needs no database and no chain. */
export function createDocument(
  app: INestApplication,
  { payments }: Pick<ServerSettings, 'payments'>,
): OpenAPIObject {
  const document = describeServer(app, {
    title: 'Yield Vault Service',
    description,
    version: apiVersion,
    tags,
    examples,
    openSchemas: ['UserOperation', 'EnvelopeUserOperation'],
    isLimited: (path) => path.startsWith('/v1/') || path.startsWith('/.well-known/'),
  });
  discriminatePrepare(document);
  const servers = [{ url: payments.mode === 'on' ? payments.publicUrl : '/' }];
  return describePayments({ ...document, servers, tags: usedTags(document) }, payments);
}
