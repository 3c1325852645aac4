import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
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

/** Marks a POST that has query parameters, too. */
export const TakesQuery = Reflector.createDecorator<true>();

/** Rejects query parameters on a POST without `TakesQuery`. Unknown routes stay 404. */
@Injectable()
export class PostQueryGuard extends EmptyQueryGuard {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const isAllowed =
      request.method !== 'POST' ||
      !request.url.includes('?') ||
      routeOf(request) === undefined ||
      this.reflector.get(TakesQuery, context.getHandler());
    return isAllowed || super.canActivate(context);
  }
}
