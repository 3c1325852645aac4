import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createLogger } from '@yield-vault/server';
import { createLimiterStorage } from './create-limiter-storage.js';

const host = '127.0.0.1';
const port = 6379;

const isRedisRunning = () =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, timeout: 500 });
    const respond = (running: boolean) => {
      socket.destroy();
      resolve(running);
    };
    socket
      .once('connect', () => respond(true))
      .once('error', () => respond(false))
      .once('timeout', () => respond(false));
  });

describe('createLimiterStorage on Redis', () => {
  it('behavior: two servers share one count (in memory where no Redis runs here)', async () => {
    const running = await isRedisRunning();
    if (!running)
      process.stderr.write(`No Redis on ${host}:${port}: the servers count in memory in this run.\n`);
    const settings = { store: 'redis', redisUrl: `redis://${host}:${port}`, perMinute: {} as never } as const;
    const logger = createLogger({ level: 'silent', secrets: [] });
    const [first, second] = [createLimiterStorage(settings, logger), createLimiterStorage(settings, logger)];
    const key = randomUUID();
    const hit = (storage: typeof first, of = key) => storage.increment(of, 60_000, 2, 0, 'default');
    // The first requests connect, and are counted in memory.
    await Promise.all([first, second].map((storage) => hit(storage, randomUUID())));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const hits = [await hit(first), await hit(second), await hit(first)].map(({ totalHits }) => totalHits);
    await Promise.all([first.close(), second.close()]);
    expect(hits).toEqual(running ? [1, 2, 3] : [1, 1, 2]);
  });
});
