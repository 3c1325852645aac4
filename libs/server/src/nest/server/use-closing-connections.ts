import type { FastifyInstance } from 'fastify';

/**
 * Once the server closes, end each connection with its answer. Node.js would wait for a client that keeps its
 * connection alive.
 */
export function useClosingConnections(fastify: FastifyInstance): void {
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done();
  });
}
