import type { FastifyRequest } from 'fastify';

const probedRoutes = new Set(['/health', '/health/ready', '/metrics']);

type Routed = Pick<FastifyRequest, 'routeOptions'>;

/** Whether a request is one of those that machines send every few seconds. */
export const isProbe = ({ routeOptions }: Routed): boolean => probedRoutes.has(routeOptions.url ?? '');

/** Level of an ordinary log line about a request: probes would drown everything else. */
export const requestLogLevel = (request: Routed): 'debug' | 'info' => (isProbe(request) ? 'debug' : 'info');
