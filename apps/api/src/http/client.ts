import { isIP } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';

// Some proxies append the port, which differs for every connection: 203.0.113.9:40001 or [2001:db8::9]:40001.
const decorated = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

/** Name the client of a request for its limits: an IPv4 address or an IPv6 network. */
export function clientOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, v6, v4] = decorated.exec(ip) ?? [];
  const address = v6 ?? v4 ?? ip;
  return normalizeIp(isIP(address) ? address : (socket.remoteAddress ?? ''));
}

/** The client of the request, for its limits. */
export const Client = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
