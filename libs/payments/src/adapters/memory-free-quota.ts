import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { FreeQuota } from '../ports.js';

export interface FreeQuotaLimits {
  /** Free calls of one client in a window. */
  readonly calls: number;
  readonly windowSeconds: number;
}

/** Count the free calls of each client in the memory of this process. */
export function createMemoryFreeQuota({ calls, windowSeconds }: FreeQuotaLimits): FreeQuota {
  const limiter = new RateLimiterMemory({ points: calls, duration: windowSeconds, keyPrefix: 'free-call' });
  return {
    async take(client) {
      try {
        await limiter.consume(client);
        return true;
      } catch (error) {
        if (error instanceof RateLimiterRes) return false;
        throw error;
      }
    },
  };
}
