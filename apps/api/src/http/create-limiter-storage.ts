import { setImmediate as nextRead } from 'node:timers/promises';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { withTimeout } from '@yield-vault/server';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Logger } from 'pino';
import type { ServerSettings } from '../settings.js';

/** Seconds of the window in which requests are counted. */
export const windowSeconds = 60;

const keyPrefix = 'yield-vault:limit';

const hangsAfterMs = 500;
const othersWaitMs = 50;

/** Counts requests. */
export interface RequestCounter extends ThrottlerStorage {
  /** @param requests - how many to count; several that the limit does not admit are not counted, unless others were counted at the same time */
  increment(
    ...hit: [...Parameters<ThrottlerStorage['increment']>, requests?: number]
  ): ReturnType<ThrottlerStorage['increment']>;
}

/** Counts requests until it is closed. */
export interface LimiterStorage extends RequestCounter {
  close(): Promise<void>;
}

/** Count over a limiter of rate-limiter-flexible: constant time and memory for each client and group. */
export function throttlerStorage(limiter: RateLimiterAbstract): RequestCounter {
  return {
    async increment(key, _ttl, limit, _blockDuration, _name, requests = 1) {
      const before = requests > 1 ? await limiter.get(key) : null;
      const isTooMuch = before !== null && before.consumedPoints + requests > limit;
      // `penalty` counts without refusing, so one limiter serves groups of different limits. What it counted stays: to
      // take it back could reach into the next window.
      const { consumedPoints, msBeforeNext } = isTooMuch ? before : await limiter.penalty(key, requests);
      const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
      return {
        totalHits: consumedPoints,
        timeToExpire: seconds,
        isBlocked: isTooMuch || consumedPoints > limit,
        timeToBlockExpire: seconds,
      };
    },
  };
}

/** Count in memory, or in Redis for several replicas; a Redis that is down or hangs is replaced by memory meanwhile. */
export function createLimiterStorage(
  { store, redisUrl }: ServerSettings['rateLimits'],
  logger: Logger,
): LimiterStorage {
  const memory = new RateLimiterMemory({ keyPrefix, points: 1, duration: windowSeconds });
  if (store === 'memory' || redisUrl === undefined) {
    return { ...throttlerStorage(memory), close: () => Promise.resolve() };
  }
  const redis = new Redis(redisUrl, {
    // The first request connects, so a start that fails leaves no connection open.
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // Closes the connection of a Redis that hangs. Until a new one has responded, commands fail at once.
    socketTimeout: hangsAfterMs,
  });
  redis.on('error', (err) => logger.warn({ err }, 'the Redis of the rate limits does not respond'));
  const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix, points: 1, duration: windowSeconds });
  const [shared, own] = [throttlerStorage(limiter), throttlerStorage(memory)];
  let waiting = 0;
  return {
    async increment(...hit) {
      // One request waits until the connection closes. The others count in memory before.
      const deadlineMs = waiting === 0 ? hangsAfterMs : othersWaitMs;
      waiting += 1;
      const sharedCount = shared.increment(...hit).catch(() => undefined);
      // A busy event loop runs the timer before it reads a response that came in time.
      const counted =
        (await withTimeout(sharedCount, deadlineMs, undefined)) ??
        (await Promise.race([sharedCount, nextRead()]));
      waiting -= 1;
      return counted ?? own.increment(...hit);
    },
    close: () => Promise.resolve(redis.disconnect()),
  };
}
