import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceError } from '@yield-vault/protocol';
import { LogController, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import type { Logger } from 'pino';
import { errorBody } from '../http/error-body.js';
import { requestIdOf } from '../http/request-id.js';
import { toServiceError } from '../http/to-service-error.js';
import { invalidParameters } from '../http/violation.js';

// A client that does not finish sending its request in this time is cut off.
const receiveTimeoutMs = 30_000;

/** What is wrong with a request that Node.js refuses, by the code of its error. */
const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `must have at most ${maxHeaderSize} bytes of path and headers`,
  ERR_HTTP_REQUEST_TIMEOUT: `must arrive within ${receiveTimeoutMs / 1000} s`,
};

function rawAnswer(error: ServiceError, requestId: string): string {
  const body = JSON.stringify(errorBody(error, requestId));
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** What a deployment says about requests. */
export interface RequestSettings {
  readonly bodyLimitBytes: number;
  /**
   * Proxies in front of the server whose `X-Forwarded-For` is believed: how many there are, which is safe only where
   * nobody gets past them, or their addresses and ranges. 0 for none.
   */
  readonly trustProxy: number | readonly string[];
}

// Fastify itself takes no number, since whoever connects directly could name any address.
const isWithin = (proxies: number) => (_address: string, hop: number) => hop < proxies;

/** Settings of Fastify that NestJS does not make. */
export function fastifyOptions({ trustProxy }: Pick<RequestSettings, 'trustProxy'>, logger: Logger) {
  return {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: typeof trustProxy === 'number' ? isWithin(trustProxy) : [...trustProxy],
    requestTimeout: receiveTimeoutMs,
    // Requests on connections that are open already are answered as usual while the server closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // A URL that cannot be decoded is refused before any hook or filter runs.
    frameworkErrors: (thrown: Error, request: FastifyRequest, reply: FastifyReply) => {
      const error = toServiceError(thrown);
      const body = errorBody(error, request.id);
      void reply.code(body.statusCode).header('x-request-id', request.id).send(body);
    },
    // What Node.js cannot read as an HTTP request.
    clientErrorHandler: (thrown: Error & { readonly code?: string }, socket: Socket) => {
      if (socket.destroyed || !socket.writable) return;
      const error = invalidParameters([
        { field: 'request', message: unreadable[thrown.code ?? ''] ?? 'must be an HTTP request' },
      ]);
      socket.end(rawAnswer(error, requestIdOf({ headers: {} })));
    },
  } satisfies Partial<FastifyServerOptions> & Record<string, unknown>;
}
