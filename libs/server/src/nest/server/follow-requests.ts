import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { requestIdHeader, requestLogLevel, routeOf } from '../http/request.js';
import type { AnsweredRequest } from '../metrics/create-http-metrics.js';

export interface FollowOptions {
  /** A request that takes longer gets 503. */
  readonly requestTimeoutSeconds: number;
  /** Called after every request. */
  readonly observe: (request: AnsweredRequest) => void;
}

/**
 * Send the id of each request, log it in one line without query and body, measure it, and end it at its deadline. One hook
 * for each event, because every request pays for every hook.
 */
export function followRequests(
  fastify: FastifyInstance,
  { requestTimeoutSeconds, observe }: FollowOptions,
): void {
  const open = openReplies(requestTimeoutSeconds);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header(requestIdHeader, request.id);
    open.add(reply);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    open.delete(reply);
    const { method, url } = request;
    const { statusCode, elapsedTime } = reply;
    // Fastify builds this object at each access.
    const routed = { routeOptions: request.routeOptions };
    observe({ method, route: routeOf(routed) ?? 'unmatched', statusCode, seconds: elapsedTime / 1000 });
    const [path] = url.split('?', 1);
    const durationMs = Math.round(elapsedTime * 10) / 10;
    request.log[requestLogLevel(routed)]({ method, path, statusCode, durationMs }, 'request');
    done();
  });
  // Node.js would wait for clients that keep their connection. Fastify closes the connections of later requests.
  fastify.addHook('preClose', (done) => {
    for (const reply of open.all) void reply.header('connection', 'close');
    done();
  });
}

/** Keep the replies that were not sent, and send an error once their deadline is over. */
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
      // The reply to a client that disconnected is never sent, and stays until now.
      all.delete(reply);
      if (!reply.sent) void reply.send(expired(seconds));
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
