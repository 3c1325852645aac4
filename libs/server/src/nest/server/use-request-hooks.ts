import type { FastifyInstance } from 'fastify';
import { requestIdHeader } from '../http/request-id.js';
import { routeOf } from '../http/route-of.js';
import { requestLogLevel } from '../logging/request-log-level.js';
import type { AnsweredRequest } from '../metrics/create-http-metrics.js';

/** Answer every request with its id, log it in one line without query and body, and measure it. */
export function useRequestHooks(fastify: FastifyInstance, observe: (request: AnsweredRequest) => void): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header(requestIdHeader, request.id);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = routeOf(request) ?? 'unmatched';
    const { statusCode, elapsedTime } = reply;
    const [path] = request.url.split('?', 1);
    observe({ method, route, statusCode, seconds: elapsedTime / 1000 });
    request.log[requestLogLevel(request)](
      { method, path, statusCode, durationMs: Math.round(elapsedTime * 10) / 10 },
      'request',
    );
    done();
  });
}
