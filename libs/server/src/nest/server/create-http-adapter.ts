import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { useJsonBodies } from '../http/body-parser.js';
import type { AnsweredRequest } from '../metrics/create-http-metrics.js';
import { fastifyOptions, type RequestSettings } from './fastify-options.js';
import { useClosingConnections } from './use-closing-connections.js';
import { useRequestHooks } from './use-request-hooks.js';

export interface HttpAdapterOptions extends RequestSettings {
  readonly logger: Logger;
  /** Told about every answered request. */
  readonly observe: (request: AnsweredRequest) => void;
}

/** Create the Fastify adapter of a server: JSON bodies only, an id and a log line for each request, orderly closing. */
export function createHttpAdapter({ logger, observe, ...settings }: HttpAdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter(fastifyOptions(settings, logger));
  const fastify = adapter.getInstance();
  useRequestHooks(fastify, observe);
  useJsonBodies(fastify, settings.bodyLimitBytes);
  useClosingConnections(fastify);
  // An expectation other than 100-continue is ignored; Node.js would answer 417 by itself, without a body.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  );
  return adapter;
}
