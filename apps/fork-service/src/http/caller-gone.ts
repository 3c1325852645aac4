import type { FastifyReply } from 'fastify';

/** A signal that is aborted once nobody waits for the answer: it was sent, by the deadline too, or the caller left. */
export function callerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
