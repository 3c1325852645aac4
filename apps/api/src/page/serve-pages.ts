import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { serveDocument } from '@yield-vault/server';
import { Limit } from '../http/limit.decorator.js';
import { RateLimitGuard } from '../http/rate-limit.guard.js';
import type { ServerSettings } from '../settings.js';
import { compressOnce } from './compress-once.js';
import { llmsText } from './llms-text.js';

const bundle = join(dirname(createRequire(import.meta.url).resolve('@yield-vault/web/package.json')), 'dist');

/** Takes a wallet through the whole flow with a key of the browser. */
const reviewersFlow = 'flow.js';

const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

@Limit('pages')
class Pages {}

/** Serve the page for people at /, the reference at /docs and /openapi.json, and the text for agents at /llms.txt. */
export async function servePages(
  app: NestFastifyApplication,
  document: OpenAPIObject,
  { environment }: Pick<ServerSettings, 'environment'>,
): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  const guard = app.get(RateLimitGuard);
  const compress = compressOnce();
  // For the pages alone: Nest added its routes before.
  fastify.addHook('onRoute', (route) => {
    route.preHandler = async (request, reply) =>
      void (await guard.canActivate(new ExecutionContextHost([request, reply], Pages, servePages)));
    // Fastify's route for HEAD has a hook of its own, which drops the body.
    if (route.method !== 'HEAD') route.onSend = compress;
  });
  serveDocument(app, document, 'openapi.json');
  await app.register(fastifyStatic, {
    root: bundle,
    wildcard: false,
    decorateReply: false,
    globIgnore: environment === 'local' ? [] : [reviewersFlow],
    setHeaders: (reply) => void reply.header('content-security-policy', policy),
  });
  const text = llmsText(document);
  fastify.get('/llms.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(text));
}
