import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Header that carries the id of a request, both ways. */
export const requestIdHeader = 'x-request-id';

// Any other character could break out of a log line or a header.
const safeId = /^[\w.:-]{1,128}$/;

/** Take the caller's request id when it is safe to repeat, else make one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && safeId.test(given) ? given : randomUUID();
}

/** Headers of every response. A browser shows nothing of one and lets no page frame it, unless the route sets another policy. */
export const headersOf = (requestId: string) => ({
  [requestIdHeader]: requestId,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
});

type Routed = Pick<FastifyRequest, 'routeOptions'>;

/** The path pattern of a request's route; `undefined` when only the wildcard route matches. */
export function routeOf({ routeOptions: { url } }: Routed): string | undefined {
  return url?.includes('*') ? undefined : url;
}

const probedRoutes = new Set(['/health', '/health/ready', '/metrics']);

/** Whether a request is one of those that machines send every few seconds. */
export const isProbe = ({ routeOptions }: Routed): boolean => probedRoutes.has(routeOptions.url ?? '');

/** Level of an ordinary log line about a request: probes would drown everything else. */
export const requestLogLevel = (request: Routed): 'debug' | 'info' => (isProbe(request) ? 'debug' : 'info');

/** Make a signal that is aborted when the caller disconnects, or the response was sent (also by the deadline). */
export function abortWhenCallerLeaves({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  const abort = () =>
    left.abort(
      new UpstreamUnavailableError({ detail: 'The client disconnected.', details: { dependency: 'client' } }),
    );
  // The guards of the request may have taken longer than its caller stayed.
  if (raw.destroyed) abort();
  else raw.once('close', abort);
  return left.signal;
}
