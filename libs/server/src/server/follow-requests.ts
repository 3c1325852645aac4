import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { headersOf, requestLogLevel, routeOf } from '../http/request.js';
import type { AnsweredRequest } from '../metrics/create-http-metrics.js';

export interface FollowOptions {
  /** A request that takes longer gets 503. */
  readonly requestTimeoutSeconds: number;
  /** Called after every request. */
  readonly observe: (request: AnsweredRequest) => void;
}

/** Send the id of each request, record it, and end it at its deadline. Every request pays for every hook and listener. */
export function followRequests(
  fastify: FastifyInstance,
  { requestTimeoutSeconds, observe }: FollowOptions,
): void {
  const open = openReplies(requestTimeoutSeconds);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headersOf(request.id));
    open.add(reply);
    recordAtEnd(reply, (answered) => {
      open.delete(reply);
      observe(answered);
    });
    done();
  });
  // Node.js would wait for clients that keep their connection. Fastify closes the connections of later requests.
  fastify.addHook('preClose', (done) => {
    for (const reply of open.all) void reply.header('connection', 'close');
    done();
  });
}

const clientClosedRequest = 499;

/** Measure a request and log it in one line without query and body, once its response was sent or its client left. */
export function recordAtEnd(reply: FastifyReply, observe: FollowOptions['observe']): void {
  // No hook of Fastify runs for a client that left after its body was read.
  reply.raw.once('close', () => {
    const { request, elapsedTime } = reply;
    const { method, url } = request;
    const statusCode = reply.raw.writableEnded ? reply.statusCode : clientClosedRequest;
    // Fastify builds this object at each access.
    const routed = { routeOptions: request.routeOptions };
    observe({ method, route: routeOf(routed) ?? 'unmatched', statusCode, seconds: elapsedTime / 1000 });
    const [path] = url.split('?', 1);
    const durationMs = Math.round(elapsedTime * 10) / 10;
    request.log[requestLogLevel(routed)]({ method, path, statusCode, durationMs }, 'request');
  });
}

/**
 * Keep the replies that the clients have not received, and send an error once their deadline is over. Fastify's
 * `handlerTimeout` ends when a body was read, and spares clients that do not read.
 */
function openReplies(seconds: number) {
  // All have the same deadline, so the oldest expires first, and one timer is enough.
  const all = new Set<FastifyReply>();
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number) => (timer = setTimeout(expire, ms).unref());
  function expire(): void {
    timer = undefined;
    for (const reply of all) {
      const leftMs = seconds * 1000 - reply.elapsedTime;
      if (leftMs > 0) return void wait(leftMs);
      all.delete(reply);
      // A client that does not read its response keeps the connection no longer.
      if (reply.raw.headersSent) reply.raw.destroy();
      else {
        void reply.send(expired(seconds));
        // Fastify would warn of the late result of the handler.
        reply.send = () => reply;
      }
    }
  }
  return {
    all,
    add: (reply: FastifyReply) => {
      all.add(reply);
      if (timer === undefined) wait(seconds * 1000);
    },
    delete: (reply: FastifyReply) => all.delete(reply),
  };
}

const expired = (seconds: number): UpstreamUnavailableError =>
  new UpstreamUnavailableError({
    detail: `The request did not finish within ${seconds} s.`,
    details: { dependency: 'request-deadline' },
  });
