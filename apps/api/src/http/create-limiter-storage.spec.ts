import { createLogger } from '@yield-vault/server';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLimiterStorage, throttlerStorage } from './create-limiter-storage.js';

const logger = createLogger({ level: 'silent', secrets: [] });
const hit = (storage: ReturnType<typeof throttlerStorage>, key: string, limit: number) =>
  storage.increment(key, 60_000, limit, 0, 'default');

describe('throttlerStorage', () => {
  it('default: counts each key against the limit of the call', async () => {
    const storage = throttlerStorage(new RateLimiterMemory({ points: 1, duration: 60 }));
    expect(await hit(storage, 'a', 2)).toMatchObject({ totalHits: 1, isBlocked: false });
    expect(await hit(storage, 'a', 2)).toMatchObject({ totalHits: 2, isBlocked: false });
    expect(await hit(storage, 'a', 2)).toMatchObject({ totalHits: 3, isBlocked: true });
    expect(await hit(storage, 'b', 2)).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('behavior: says how long the window lasts', async () => {
    const storage = throttlerStorage(new RateLimiterMemory({ points: 1, duration: 60 }));
    const { timeToExpire, timeToBlockExpire } = await hit(storage, 'a', 1);
    expect(timeToExpire).toBeGreaterThan(58);
    expect(timeToExpire).toBeLessThanOrEqual(60);
    expect(timeToBlockExpire).toBe(timeToExpire);
  });

  it('behavior: the window ends', async () => {
    const storage = throttlerStorage(new RateLimiterMemory({ points: 1, duration: 1 }));
    await hit(storage, 'a', 1);
    expect((await hit(storage, 'a', 1)).isBlocked).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await hit(storage, 'a', 1)).isBlocked).toBe(false);
  });

  it('behavior: a request costs the same after 100,000 others', async () => {
    const storage = throttlerStorage(new RateLimiterMemory({ points: 1, duration: 60 }));
    const time = async (calls: number) => {
      const start = performance.now();
      for (let call = 0; call < calls; call += 1) await hit(storage, 'a', 10);
      return (performance.now() - start) / calls;
    };
    await time(2_000);
    const early = await time(2_000);
    await time(100_000);
    const late = await time(2_000);
    // Storage that keeps each hit is a hundred times slower by then.
    expect(late).toBeLessThan(early * 10 + 0.05);
  });
});

describe('createLimiterStorage', () => {
  it('behavior: a Redis that is down is replaced by memory', async () => {
    const storage = createLimiterStorage(
      { store: 'redis', redisUrl: 'redis://127.0.0.1:1', perMinute: {} as never },
      logger,
    );
    expect(await hit(storage, 'a', 1)).toMatchObject({ totalHits: 1, isBlocked: false });
    expect(await hit(storage, 'a', 1)).toMatchObject({ totalHits: 2, isBlocked: true });
    await storage.close();
  });
});
