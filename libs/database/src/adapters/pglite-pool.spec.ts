import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { PostgresPool } from 'kysely';
import { createPglitePool } from './pglite-pool.js';

jest.setTimeout(60_000);

describe('createPglitePool', () => {
  let pool: PostgresPool;

  beforeAll(async () => {
    pool = await createPglitePool({
      directory: undefined,
      acquireTimeoutMs: 100,
      assertUsable: () => undefined,
    });
  });
  afterAll(() => pool.end());

  it('behavior: queries wait in order while the connection is in use', async () => {
    const order: number[] = [];
    const use = async (index: number) => {
      const client = await pool.connect();
      order.push(index);
      await client.query('select 1', []);
      client.release();
    };
    await Promise.all([use(1), use(2), use(3)]);
    expect(order).toEqual([1, 2, 3]);
  });

  it('error: UpstreamUnavailableError instead of waiting for ever; the next one is served', async () => {
    const client = await pool.connect();
    await expect(pool.connect()).rejects.toBeInstanceOf(UpstreamUnavailableError);
    client.release();
    const next = await pool.connect();
    await expect(next.query('select 1 as one', [])).resolves.toMatchObject({ rows: [{ one: 1 }] });
    next.release();
  });

  it('behavior: a loop of statements lets timers run', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const until = Date.now() + 100;
    while (Date.now() < until) {
      const client = await pool.connect();
      await client.query('select 1', []);
      client.release();
    }
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });
});
