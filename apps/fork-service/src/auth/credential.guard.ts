import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { UnauthorizedError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokens } from '../tokens.js';

const publicMetadata = 'public';

/** Marks a route that needs no credential. */
export const Public = () => SetMetadata(publicMetadata, true);

/** Requires the bearer credential of operators, except on public routes. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(tokens.credential) private readonly credential: string,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(publicMetadata, targets)) return true;
    const http = context.switchToHttp();
    const { authorization = '' } = http.getRequest<FastifyRequest>().headers;
    const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (given !== undefined && sameSecret(given, this.credential)) return true;
    void http.getResponse<FastifyReply>().header('www-authenticate', 'Bearer');
    throw new UnauthorizedError({
      detail: given === undefined ? 'The request has no bearer credential.' : 'The credential is wrong.',
    });
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compare two secrets in constant time. Digests have the same length. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}
