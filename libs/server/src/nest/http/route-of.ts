import type { FastifyRequest } from 'fastify';

/** The pattern of the route of a request; `undefined` where a wildcard takes what no route matches. */
export function routeOf({ routeOptions: { url } }: FastifyRequest): string | undefined {
  return url?.includes('*') ? undefined : url;
}
