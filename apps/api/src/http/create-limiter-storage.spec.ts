import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createLogger } from '@yield-vault/server';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLimiterStorage, throttlerStorage } from './create-limiter-storage.js';

const logger = createLogger({ level: 'silent', secrets: [] });
const inMemory = (duration = 60) => throttlerStorage(new RateLimiterMemory({ points: 1, duration }));
const hit = (storage: ReturnType<typeof throttlerStorage>, key: string, limit: number) =>
  storage.increment(key, 60_000, limit, 0, 'default');

describe('throttlerStorage', () => {
  it('default: counts each key against the limit of the call', async () => {
    const storage = inMemory();
    expect(await hit(storage, 'a', 2)).toMatchObject({ totalHits: 1, isBlocked: false });
    expect(await hit(storage, 'a', 2)).toMatchObject({ totalHits: 2, isBlocked: false });
    expect(await hit(storage, 'a', 2)).toMatchObject({ totalHits: 3, isBlocked: true });
    expect(await hit(storage, 'b', 2)).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('behavior: counts several requests together, or none of them', async () => {
    const storage = inMemory();
    const hits = (requests: number) => storage.increment('a', 0, 60, 0, '', requests);
    expect(await hits(50)).toMatchObject({ totalHits: 50, isBlocked: false });
    expect(await hits(50)).toMatchObject({ totalHits: 50, isBlocked: true });
    expect(await hits(10)).toMatchObject({ totalHits: 60, isBlocked: false });
    expect(await hits(2)).toMatchObject({ totalHits: 60, isBlocked: true });
  });

  it('attack: of batches at once, the limit admits what fits, and the next window begins at 0', async () => {
    const limiter = new RateLimiterMemory({ points: 1, duration: 1 });
    const penalty = limiter.penalty.bind(limiter);
    // The window ends before a slow Redis responds.
    jest.spyOn(limiter, 'penalty').mockImplementation(async (...hit) => {
      const counted = await penalty(...hit);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return counted;
    });
    const hits = (requests?: number) => throttlerStorage(limiter).increment('a', 0, 60, 0, '', requests);
    const batches = await Promise.all([hits(50), hits(50)]);
    expect(batches.map(({ isBlocked }) => isBlocked)).toEqual([false, true]);
    expect(await hits()).toMatchObject({ totalHits: 1 });
  });

  it('behavior: says how long the window lasts', async () => {
    const storage = inMemory();
    const { timeToExpire, timeToBlockExpire } = await hit(storage, 'a', 1);
    expect(timeToExpire).toBeGreaterThan(58);
    expect(timeToExpire).toBeLessThanOrEqual(60);
    expect(timeToBlockExpire).toBe(timeToExpire);
  });

  it('behavior: the window ends', async () => {
    const storage = inMemory(1);
    await hit(storage, 'a', 1);
    expect((await hit(storage, 'a', 1)).isBlocked).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await hit(storage, 'a', 1)).isBlocked).toBe(false);
  });

  it('behavior: a request costs the same after 100,000 others', async () => {
    const storage = inMemory();
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
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const storageOn = (redisUrl: string) => {
    const settings = { store: 'redis', redisUrl, perMinute: {} as never } as const;
    const storage = createLimiterStorage(settings, logger);
    closing.push(() => storage.close());
    return storage;
  };
  const start = async () => {
    const redis = await startRedis();
    const storage = storageOn(redis.url);
    closing.push(redis.close);
    const hits = async (key = 'a') => (await hit(storage, key, 1)).totalHits;
    const untilRedisCounts = async () => {
      while ((await hits()) !== countOfRedis) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    return { redis, hits, untilRedisCounts };
  };

  it('behavior: a Redis that is down is replaced by memory', async () => {
    const storage = storageOn('redis://127.0.0.1:1');
    expect(await hit(storage, 'a', 1)).toMatchObject({ totalHits: 1, isBlocked: false });
    expect(await hit(storage, 'a', 1)).toMatchObject({ totalHits: 2, isBlocked: true });
  });

  it('behavior: the first request connects to Redis, so a start that fails leaves no connection', async () => {
    const { redis, untilRedisCounts } = await start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(redis.connections()).toBe(0);
    await untilRedisCounts();
    expect(redis.connections()).toBe(1);
  });

  it('behavior: a Redis that hangs delays one request, and counts again once it responds', async () => {
    const { redis, hits, untilRedisCounts } = await start();
    await untilRedisCounts();
    redis.hang(true);
    const asked = redis.counted();
    for (let call = 0; call < 20; call += 1) expect(await hits()).toBeLessThan(countOfRedis);
    expect(redis.counted()).toBe(asked + 1);
    redis.hang(false);
    await untilRedisCounts();
  });

  it('behavior: of many requests at a time, one waits for a Redis that hangs; each counts once', async () => {
    const { redis, hits, untilRedisCounts } = await start();
    await untilRedisCounts();
    redis.hang(true);
    const started = performance.now();
    const waits: number[] = [];
    const counts = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const count = await hits('b');
        waits.push(performance.now() - started);
        return count;
      }),
    );
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(waits.filter((wait) => wait > 300)).toHaveLength(1);
  });

  it('attack: an event loop that is busy for longer than the deadline is not a Redis that hangs', async () => {
    const { redis, hits, untilRedisCounts } = await start();
    await untilRedisCounts();
    const sent = redis.counted();
    const counts = [1, 2, 3].map(() => hits());
    while (redis.counted() < sent + 3) await new Promise(setImmediate);
    blockFor(80);
    expect(await Promise.all(counts)).toEqual(Array(3).fill(countOfRedis));
  });
});

const countOfRedis = 1_000;

function blockFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** A Redis that knows what a connection and the limiter ask, and can hang. */
async function startRedis() {
  let hangs = false;
  let counted = 0;
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      for (const [, name] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(info|client|eval(?:sha)?)\r\n/g)) {
        const isCount = name?.startsWith('eval');
        if (isCount) counted += 1;
        if (hangs) continue;
        socket.write(isCount ? `*2\r\n:${countOfRedis}\r\n:60000\r\n` : '$2\r\nok\r\n');
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counted: () => counted,
    connections: () => connections,
    hang: (value: boolean) => void (hangs = value),
    close: () => server.close(),
  };
}
