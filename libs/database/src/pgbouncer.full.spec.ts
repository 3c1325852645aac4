import { sql } from 'kysely';
import { hasPgbouncer, startPgbouncer } from '../test/start-pgbouncer.js';
import { UnsupportedPoolerError } from './errors.js';
import { createLeadership } from './leadership/create-leadership.js';
import { openDatabase } from './open-database.js';
import { createTemporaryPostgres, isPostgresReachable } from './testing/index.js';

jest.setTimeout(60_000);

const isHere = isPostgresReachable() && hasPgbouncer();

const tests = () => {
  let temporary: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let pooler: Awaited<ReturnType<typeof startPgbouncer>> | undefined;

  beforeEach(async () => {
    temporary = await createTemporaryPostgres();
  });
  afterEach(async () => {
    await pooler?.stop();
    await temporary.drop();
  });

  it('default: session mode carries migrations, statements with their deadline, and leadership', async () => {
    pooler = await startPgbouncer(temporary.url, 'session');
    const { url } = pooler;
    const [first, second] = await Promise.all(
      [1, 2].map(() => openDatabase({ url, statementTimeoutMs: 200, maxConnections: 2 })),
    );
    await expect(sql`select pg_sleep(1)`.execute(first!.db)).rejects.toMatchObject({
      details: { dependency: 'database' },
    });
    const leaders: number[] = [];
    const elections = [first!, second!].map((database, index) => {
      const leadership = createLeadership(database, 'test');
      const ended = leadership.lead(async (signal) => {
        leaders.push(index);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      });
      return { leadership, ended };
    });
    while (leaders.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await elections[leaders[0]!]!.leadership.stop();
    while (leaders.length === 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(leaders.sort()).toEqual([0, 1]);
    for (const { leadership, ended } of elections) await leadership.stop().then(() => ended);
    await Promise.all([first!.close(), second!.close()]);
  });

  it.each([
    ['transaction', 1],
    ['transaction', 20],
    ['statement', 20],
  ] as const)('error: UnsupportedPoolerError in %s mode with %s connections', async (mode, poolSize) => {
    pooler = await startPgbouncer(temporary.url, mode, poolSize);
    await expect(openDatabase({ url: pooler.url })).rejects.toBeInstanceOf(UnsupportedPoolerError);
  });

  it('error: UnsupportedPoolerError also while other clients use the pooler', async () => {
    pooler = await startPgbouncer(temporary.url, 'transaction', 5);
    const { Client } = await import('pg').then((module) => module.default);
    const others = Array.from({ length: 8 }, () => new Client({ connectionString: pooler!.url }));
    let isBusy = true;
    const busy = others.map(async (client) => {
      await client.connect();
      while (isBusy) await client.query('select 1');
      await client.end();
    });
    for (let i = 0; i < 5; i++)
      await expect(openDatabase({ url: pooler.url })).rejects.toBeInstanceOf(UnsupportedPoolerError);
    isBusy = false;
    await Promise.all(busy);
  });
};

// Without PgBouncer the suite says so in its title and only checks that it did not overlook it.
describe(
  isHere ? 'PgBouncer' : 'PgBouncer (not installed, or no PostgreSQL: its tests were not run)',
  isHere
    ? tests
    : () => {
        it('is still not here', () => expect(isPostgresReachable() && hasPgbouncer()).toBe(false));
      },
);
