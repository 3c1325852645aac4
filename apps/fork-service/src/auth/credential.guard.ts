import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { UnauthorizedError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tokens } from '../tokens.js';
import { publicMetadata } from './public.decorator.js';
import { sameSecret } from './same-secret.js';

/** Lets operators in by their bearer credential; public routes are for everybody. */
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
      detail:
        given === undefined
          ? 'The request has no bearer credential.'
          : 'The credential is not that of the service.',
    });
  }
}
