import { Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import { RateLimitExceededError } from '@yield-vault/protocol';
import type { FastifyReply } from 'fastify';
import { limitMetadata } from './limit.decorator.js';

/** Rejects a client that used up the requests of a route group. Routes without a group have no limit. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(this.#group(context) === undefined);
  }

  protected override generateKey(context: ExecutionContext, tracker: string): string {
    return `${this.#group(context)}:${tracker}`;
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
      details: { limit, windowSeconds: 60 },
      retryAfterSeconds: timeToBlockExpire,
    });
  }

  #group(context: ExecutionContext): string | undefined {
    return this.reflector.getAllAndOverride<string | undefined>(limitMetadata, [
      context.getHandler(),
      context.getClass(),
    ]);
  }
}
