import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { invalidParameters, type ServiceError } from '@yield-vault/protocol';
import { LogController, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import type { Logger } from 'pino';
import { useJsonBodies, type BodyLimits } from '../http/body-parser.js';
import { errorBody } from '../http/error-body.js';
import { headersOf, requestIdOf } from '../http/request.js';
import { toServiceError } from '../http/to-service-error.js';
import { followRequests, recordAtEnd, type FollowOptions } from './follow-requests.js';

export interface HttpAdapterOptions extends BodyLimits, FollowOptions {
  /**
   * Trusted proxies in front of the server, whose `X-Forwarded-For` counts: their addresses and ranges, or their number
   * (safe only where no client can bypass them). 0 for none.
   */
  readonly trustProxy: number | readonly string[];
  /** Connections at a time; the server closes another one without a response. No limit when left out. */
  readonly maxConnections?: number;
  readonly logger: Logger;
}

/** Create the Fastify adapter of a server: JSON bodies only, an id and a log line for each request, orderly closing. */
export function createHttpAdapter({ logger, ...settings }: HttpAdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter(fastifyOptions(settings, logger));
  const fastify = adapter.getInstance();
  fastify.server.maxConnections = settings.maxConnections ?? Infinity;
  followRequests(fastify, settings);
  useJsonBodies(fastify, settings);
  // Node.js would respond to an expectation other than 100-continue with 417 and no body. Ignore it instead.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  );
  return adapter;
}

// Node.js closes the connection of a request that takes longer to arrive.
const receiveTimeoutMs = 30_000;
const lingerMs = 1_000;

/** Violation of a request that Node.js rejects, by the code of its error. */
const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `must have at most ${maxHeaderSize} bytes of path and headers`,
  ERR_HTTP_REQUEST_TIMEOUT: `must arrive within ${receiveTimeoutMs / 1000} s`,
};

function rawResponse(error: ServiceError, requestId: string): string {
  const body = JSON.stringify(errorBody(error, requestId));
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headersOf(requestId)).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

// Fastify takes no number, because a client that bypasses the proxies could claim any address.
const isWithin = (proxies: number) => proxies > 0 && ((_address: string, hop: number) => hop < proxies);

/** Settings of Fastify that NestJS does not make. */
function fastifyOptions(
  { trustProxy, observe }: Pick<HttpAdapterOptions, 'trustProxy' | 'observe'>,
  logger: Logger,
) {
  return {
    loggerInstance: logger,
    // No module has middleware.
    skipMiddie: true,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: typeof trustProxy === 'number' ? isWithin(trustProxy) : [...trustProxy],
    requestTimeout: receiveTimeoutMs,
    http: { headersTimeout: receiveTimeoutMs, connectionsCheckingInterval: 5_000 },
    // While the server closes, requests on open connections get their response.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Fastify rejects a URL that cannot be decoded before any hook or filter runs.
    frameworkErrors: (thrown: Error, request: FastifyRequest, reply: FastifyReply) => {
      recordAtEnd(reply, observe);
      const body = errorBody(toServiceError(thrown), request.id);
      void reply.code(body.statusCode).headers(headersOf(request.id)).send(body);
    },
    // Node.js cannot read the data as an HTTP request.
    clientErrorHandler: (thrown: Error & { readonly code?: string }, socket: Socket) => {
      if (socket.destroyed || !socket.writable) return;
      const error = invalidParameters([
        { field: 'request', message: unreadable[thrown.code ?? ''] ?? 'must be an HTTP request' },
      ]);
      socket.end(rawResponse(error, requestIdOf({ headers: {} })));
      // A client that does not read, or does not close its side, would keep the connection.
      setTimeout(() => socket.destroy(), lingerMs).unref();
    },
  } satisfies Partial<FastifyServerOptions> & Record<string, unknown>;
}
