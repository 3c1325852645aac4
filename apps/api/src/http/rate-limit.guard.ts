import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import { RateLimitExceededError } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Parts } from '../parts.js';
import { tokens } from '../tokens.js';
import { clientOf } from './client.js';
import { windowSeconds, type LimiterStorage } from './create-limiter-storage.js';
import { Limit, Weight, type ItemWeight } from './limit.decorator.js';

/** Rejects a client that used up the requests of a route group. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override headerPrefix = 'RateLimit';
  @Inject(Parts) private readonly parts!: Parts;
  @Inject(tokens.limiterStorage) private readonly storage!: LimiterStorage;

  // The original looks for five decorators of its own on every request.
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const places = [context.getHandler(), context.getClass()];
    const group = this.reflector.getAllAndOverride(Limit, places) ?? 'other';
    if (group === 'none') return true;
    const ttl = windowSeconds * 1000;
    const limit = this.parts.settings.rateLimits.perMinute[group];
    await this.handleRequest({
      context,
      limit,
      ttl,
      blockDuration: ttl,
      throttler: this.throttlers[0]!,
      getTracker: (request) => clientOf(request as FastifyRequest),
      generateKey: (_context, tracker) => `${group}:${tracker}`,
    });
    const weight = this.reflector.get(Weight, context.getHandler());
    return weight ? this.#countItems(context, group, limit, weight) : true;
  }

  /** Count the further items of a request with a weight. */
  async #countItems(
    context: ExecutionContext,
    group: string,
    limit: number,
    weight: ItemWeight,
  ): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const items = itemsOf(request.body, weight);
    if (items < 2) return true;
    const key = `${group}:${clientOf(request)}`;
    const hit = await this.storage.increment(key, 0, limit, 0, '', items - 1);
    const left = Math.max(0, limit - hit.totalHits);
    void http.getResponse<FastifyReply>().header(`${this.headerPrefix}-Remaining`, left);
    if (!hit.isBlocked) return true;
    throw new RateLimitExceededError({
      detail: `The request counts as ${items}; ${left} of ${limit} within a minute are left.`,
      details: { limit, windowSeconds },
      ...(left > 0 && { nextAction: `Send at most ${left} now, or retry after the Retry-After time.` }),
      retryAfterSeconds: hit.timeToExpire,
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

/** A body without the array, or with too many items, counts once: it is refused as invalid. */
function itemsOf(body: unknown, { field, most }: ItemWeight): number {
  const items = (body as Readonly<Record<string, unknown>> | null | undefined)?.[field];
  return Array.isArray(items) && items.length <= most ? items.length : 1;
}
