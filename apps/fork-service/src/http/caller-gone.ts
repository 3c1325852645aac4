import type { FastifyReply } from 'fastify';

/** Make a signal that is aborted when the caller disconnects, or the response was sent (also by the deadline). */
export function callerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
