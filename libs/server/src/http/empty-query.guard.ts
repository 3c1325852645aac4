import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from './request.js';
import { invalidParameters } from '@yield-vault/protocol';

/** Rejects query parameters: for a GET without any. */
@Injectable()
export class EmptyQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const names = Object.keys(context.switchToHttp().getRequest<FastifyRequest>().query ?? {});
    if (names.length === 0) return true;
    throw invalidParameters(names.map((field) => ({ field, message: 'is not an allowed query parameter' })));
  }
}

/** Rejects query parameters on POST, whose parameters are all in the body. Unknown routes stay 404. */
@Injectable()
export class PostQueryGuard extends EmptyQueryGuard {
  override canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const isAllowed =
      request.method !== 'POST' || !request.url.includes('?') || routeOf(request) === undefined;
    return isAllowed || super.canActivate(context);
  }
}
