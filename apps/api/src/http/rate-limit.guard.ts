import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import { RateLimitExceededError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Parts } from '../parts.js';
import { clientOf } from './client.js';
import { windowSeconds } from './create-limiter-storage.js';
import { Limit } from './limit.decorator.js';

/** Rejects a client that used up the requests of a route group. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';
  @Inject(Parts) private readonly parts!: Parts;

  // The original looks for five decorators of its own on every request.
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const places = [context.getHandler(), context.getClass()];
    const group = this.reflector.getAllAndOverride(Limit, places) ?? 'other';
    if (group === 'none') return Promise.resolve(true);
    const ttl = windowSeconds * 1000;
    return this.handleRequest({
      context,
      limit: this.parts.settings.rateLimits.perMinute[group],
      ttl,
      blockDuration: ttl,
      throttler: this.throttlers[0]!,
      getTracker: (request) => clientOf(request as FastifyRequest),
      generateKey: (_context, tracker) => `${group}:${tracker}`,
    });
  }

  protected override throwThrottlingException(
    context: ExecutionContext,
    { limit, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    void context
      .switchToHttp()
      .getResponse<FastifyReply>()
      .headers({
        [`${this.headerPrefix}-Limit`]: limit,
        [`${this.headerPrefix}-Remaining`]: 0,
        [`${this.headerPrefix}-Reset`]: timeToBlockExpire,
      });
    throw new RateLimitExceededError({
      detail: `More than ${limit} requests within a minute.`,
      details: { limit, windowSeconds },
      retryAfterSeconds: timeToBlockExpire,
    });
  }
}
