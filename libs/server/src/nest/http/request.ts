import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Header that carries the id of a request, both ways. */
export const requestIdHeader = 'x-request-id';

// Any other character could break out of a log line or a header.
const safeId = /^[\w.:-]{1,128}$/;

/** Take the caller's request id when it is safe to repeat, else make one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && safeId.test(given) ? given : randomUUID();
}

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
