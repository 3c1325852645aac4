import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ServerSettings } from '../settings.js';
import { llmsText } from './llms-text.js';

const bundle = join(dirname(createRequire(import.meta.url).resolve('@yield-vault/web/package.json')), 'dist');

/** Takes a wallet through the whole flow with a key of the browser. */
const reviewersFlow = 'flow.js';

/** Serve the page for people at / and the text for agents at /llms.txt. */
export async function servePage(
  app: NestFastifyApplication,
  document: OpenAPIObject,
  { environment }: Pick<ServerSettings, 'environment'>,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: bundle,
    wildcard: false,
    decorateReply: false,
    globIgnore: environment === 'local' ? [] : [reviewersFlow],
    setHeaders: (reply) => void reply.header('content-security-policy', "default-src 'self'"),
  });
  const text = llmsText(document);
  app
    .getHttpAdapter()
    .getInstance()
    .get('/llms.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(text));
}
