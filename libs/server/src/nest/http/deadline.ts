import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Let no request outlive the deadline of the deployment. These are hooks, because NestJS takes a third longer for every
 * request as soon as one interceptor exists.
 */
export function useDeadline(fastify: FastifyInstance, seconds: number): void {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  const expired = () =>
    new UpstreamUnavailableError({
      detail: `The request did not finish within ${seconds} s.`,
      details: { dependency: 'request-deadline' },
    });
  fastify.addHook('onRequest', (request, reply, done) => {
    const expire = () => {
      if (!reply.sent) void reply.send(expired());
    };
    // A client that disconnects gets no response, so nothing clears its timer.
    timers.set(request, setTimeout(expire, seconds * 1000).unref());
    done();
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    clearTimeout(timers.get(request));
    done();
  });
}
