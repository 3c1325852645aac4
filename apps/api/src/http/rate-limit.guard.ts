import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RateLimitExceededError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Parts } from '../parts.js';
import { tokens } from '../tokens.js';
import { clientOf } from './client.js';
import { windowSeconds, type LimiterStorage } from './create-limiter-storage.js';
import { Limit, Weight } from './limit.decorator.js';

/** Rejects a client that used up the requests of a route group. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly parts: Parts,
    @Inject(tokens.limiterStorage) private readonly storage: LimiterStorage,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const places = [context.getHandler(), context.getClass()];
    const group = this.reflector.getAllAndOverride(Limit, places) ?? 'other';
    if (group === 'none') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const limit = this.parts.settings.rateLimits.perMinute[group];
    const weight = weightOf(request.body, this.reflector.get(Weight, context.getHandler()));
    const { used, isRefused, seconds } = await this.storage.count(
      `${group}:${clientOf(request)}`,
      weight,
      limit,
    );
    const left = Math.max(0, limit - used);
    void http.getResponse<FastifyReply>().headers({
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(left),
      'RateLimit-Reset': String(seconds),
    });
    if (!isRefused) return true;
    throw new RateLimitExceededError({
      detail:
        weight === 1
          ? `More than ${limit} requests within a minute.`
          : `The request counts as ${weight}; ${left} of ${limit} within a minute are left.`,
      details: { limit, windowSeconds },
      ...(left > 0 && { nextAction: `Send at most ${left} now, or retry after the Retry-After time.` }),
      retryAfterSeconds: seconds,
    });
  }
}

function weightOf(body: unknown, weight?: { readonly field: string; readonly most: number }): number {
  const items = weight && (body as Readonly<Record<string, unknown>> | null | undefined)?.[weight.field];
  return Array.isArray(items) && items.length <= weight!.most ? items.length || 1 : 1;
}
