import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { NotFoundError } from '@yield-vault/protocol';
import { serveDocument } from '@yield-vault/server';
import type { FastifyInstance } from 'fastify';
import { Limit } from '../http/limit.decorator.js';
import { RateLimitGuard } from '../http/rate-limit.guard.js';
import type { ServerSettings } from '../settings.js';
import { compressOnce } from './compress-once.js';
import { llmsText, type Guide } from './llms-text.js';

const require = createRequire(import.meta.url);
const web = join(dirname(require.resolve('@yield-vault/web/package.json')), 'dist');
const site = join(dirname(require.resolve('@yield-vault/site/package.json')), 'dist');

/** Takes a wallet through the whole flow with a key of the browser. */
const reviewersFlow = 'flow.js';

const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the build of the site writes beside its files. */
interface Site {
  readonly policy: string;
  readonly guides: readonly Guide[];
}

@Limit('pages')
class Pages {}

/**
 * Serve the page for people at /, the reference at /docs and /openapi.json, the guides below /guides/, and the text
 * for agents at /llms.txt.
 */
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
    root: web,
    wildcard: false,
    decorateReply: false,
    globIgnore: environment === 'local' ? [] : [reviewersFlow],
    setHeaders: (reply) => void reply.header('content-security-policy', policy),
  });
  const text = llmsText(document, await serveSite(fastify));
  fastify.get('/llms.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(text));
}

/** Serve the documentation site, where it is built, and return its guides. */
async function serveSite(fastify: FastifyInstance): Promise<readonly Guide[]> {
  const manifest = join(site, 'site.json');
  if (!existsSync(manifest)) {
    fastify.get('/guides/*', () => {
      throw new NotFoundError({
        detail: 'The site is not built.',
        nextAction: 'Run "npx nx build site" and restart the server.',
      });
    });
    return [];
  }
  const { policy: sitePolicy, guides } = JSON.parse(await readFile(manifest, 'utf8')) as Site;
  await fastify.register(fastifyStatic, {
    root: join(site, 'guides'),
    prefix: '/guides/',
    wildcard: false,
    redirect: true,
    decorateReply: false,
    setHeaders: (reply, path) => {
      void reply.header('content-security-policy', sitePolicy);
      // The names of these files have a hash.
      if (path.includes('/assets/'))
        void reply.header('cache-control', 'public, max-age=31536000, immutable');
    },
  });
  return guides;
}
