import { setImmediate as nextRead } from 'node:timers/promises';
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

/** What a client used of a limit. */
interface Usage {
  /** Requests in this window, this one included. A refused one counts once, whatever its weight. */
  readonly used: number;
  readonly isRefused: boolean;
  /** Until the window ends. */
  readonly seconds: number;
}

/** Counts requests, by key. */
export interface LimitCounter {
  /** @param weight - how many requests this one counts as */
  count(key: string, weight: number, limit: number): Promise<Usage>;
}

/** Counts requests until it is closed. */
export interface LimiterStorage extends LimitCounter {
  close(): Promise<void>;
}

/** Count over a limiter of rate-limiter-flexible: constant time and memory for each client and group. */
export function limitCounter(limiter: RateLimiterAbstract): LimitCounter {
  return {
    async count(key, weight, limit) {
      // `penalty` counts without refusing, so one limiter serves groups of different limits.
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key, weight);
      const isRefused = consumedPoints > limit;
      if (isRefused && weight > 1) await limiter.reward(key, weight - 1);
      return {
        used: isRefused ? consumedPoints - weight + 1 : consumedPoints,
        isRefused,
        seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
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
    return { ...limitCounter(memory), close: () => Promise.resolve() };
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
  const [shared, own] = [limitCounter(limiter), limitCounter(memory)];
  let waiting = 0;
  return {
    async count(...hit) {
      // One request waits until the connection closes. The others count in memory before.
      const deadlineMs = waiting === 0 ? hangsAfterMs : othersWaitMs;
      waiting += 1;
      const sharedCount = shared.count(...hit).catch(() => undefined);
      // A busy event loop runs the timer before it reads a response that came in time.
      const counted =
        (await withTimeout(sharedCount, deadlineMs, undefined)) ??
        (await Promise.race([sharedCount, nextRead()]));
      waiting -= 1;
      return counted ?? own.count(...hit);
    },
    close: () => Promise.resolve(redis.disconnect()),
  };
}
