import { createHash, timingSafeEqual } from 'node:crypto';
import type { FreeQuota } from './ports.js';

export interface FreeQuotaLimits {
  /** Free calls of one client in a window. */
  readonly calls: number;
  readonly windowSeconds: number;
  /** Clients that one window counts; further clients have no free calls in it (100,000). */
  readonly maxClients?: number;
}

/**
 * Count the free calls of each client in the memory of this process. All clients share one window.
 *
 * @param now - Unix milliseconds
 */
export function createMemoryFreeQuota(limits: FreeQuotaLimits, now: () => number = Date.now): FreeQuota {
  const { calls, windowSeconds, maxClients = 100_000 } = limits;
  const taken = new Map<string, number>();
  let endsAtMs = now() + windowSeconds * 1_000;
  return {
    take(client) {
      if (now() >= endsAtMs) {
        taken.clear();
        endsAtMs = now() + windowSeconds * 1_000;
      }
      const count = taken.get(client) ?? 0;
      const hasRoom = count > 0 || taken.size < maxClients;
      if (count >= calls || !hasRoom) return Promise.resolve(false);
      taken.set(client, count + 1);
      return Promise.resolve(true);
    },
  };
}

/** Check an access key in constant time. */
export function isAllowlisted(accessKey: string | undefined, allowlist: readonly string[]): boolean {
  if (accessKey === undefined) return false;
  const presented = digest(accessKey);
  return allowlist.map((key) => timingSafeEqual(presented, digest(key))).includes(true);
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
