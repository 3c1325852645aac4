import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { sql } from 'kysely';
import { startProxy } from '../test/start-proxy.js';
import { DatabaseMigrationError } from './errors.js';
import { migrations } from './migrations/migrations.js';
import { openDatabase } from './open-database.js';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from './testing/index.js';

jest.setTimeout(60_000);

const title = isPostgresReachable()
  ? 'PostgreSQL'
  : `PostgreSQL (not reachable at ${testPostgresUrl}: its tests were not run)`;

const tests = () => {
  let temporary: Awaited<ReturnType<typeof createTemporaryPostgres>>;

  beforeEach(async () => {
    temporary = await createTemporaryPostgres();
  });
  afterEach(() => temporary.drop());

  it('behavior: processes that start together on an empty database all open it', async () => {
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => openDatabase({ url: temporary.url, maxConnections: 2 })),
    );
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
      opened[0]!.db,
    );
    await Promise.all(opened.map((database) => database.close()));
    expect(rows.map((row) => row.name)).toEqual(Object.keys(migrations));
  });

  it('behavior: of two connections that insert the same key, the second waits and loses', async () => {
    const [first, second] = await Promise.all([
      openDatabase({ url: temporary.url }),
      openDatabase({ url: temporary.url }),
    ]);
    const insert = (database: typeof first) =>
      database.db
        .insertInto('vault')
        .values({ vault_id: 7n, chain_id: 1n, address: '0x7' })
        .onConflict((conflict) => conflict.column('vault_id').doNothing())
        .returning('id')
        .executeTakeFirst();
    let order = '';
    const winner = first.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('vault').values({ vault_id: 7n, chain_id: 1n, address: '0x7' }).execute();
      const loser = insert(second).then((row) => {
        order += 'second';
        return row;
      });
      await new Promise((resolve) => setTimeout(resolve, 200));
      order += 'first ';
      return { loser };
    });
    const { loser } = await winner;
    expect(await loser).toBeUndefined();
    expect(order).toBe('first second');
    await Promise.all([first.close(), second.close()]);
  });

  it('error: UpstreamUnavailableError when nothing listens', async () => {
    const proxy = await startProxy(temporary.url);
    await proxy.stop();
    await expect(openDatabase({ url: proxy.url })).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: { dependency: 'database' },
    });
  });

  it('error: UpstreamUnavailableError while the server is away; works again after it', async () => {
    const proxy = await startProxy(temporary.url);
    const database = await openDatabase({ url: proxy.url });
    await database.ping();
    const running = sql`select pg_sleep(5)`.execute(database.db);
    setTimeout(proxy.cut, 100);
    await expect(running).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await expect(database.ping()).resolves.toBeUndefined();
    await database.close();
    await proxy.stop();
  });

  it('error: UpstreamUnavailableError when the server stops answering, within the deadline', async () => {
    const proxy = await startProxy(temporary.url);
    const database = await openDatabase({ url: proxy.url, connectionTimeoutMs: 300 });
    proxy.silence(true);
    const started = Date.now();
    await expect(database.ping()).rejects.toBeInstanceOf(UpstreamUnavailableError);
    expect(Date.now() - started).toBeLessThan(3_000);
    await database.close();
    await proxy.stop();
  });

  it('error: UpstreamUnavailableError when a statement runs into its deadline; the pool stays usable', async () => {
    const database = await openDatabase({ url: temporary.url, maxConnections: 1, statementTimeoutMs: 200 });
    await expect(sql`select pg_sleep(5)`.execute(database.db)).rejects.toBeInstanceOf(
      UpstreamUnavailableError,
    );
    await expect(database.ping()).resolves.toBeUndefined();
    await database.close();
  });

  it('error: UpstreamUnavailableError when an administrator ends the connection in a transaction', async () => {
    const [database, administrator] = await Promise.all([
      openDatabase({ url: temporary.url }),
      openDatabase({ url: temporary.url }),
    ]);
    const work = database.db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(administrator.db);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await sql`select 1`.execute(transaction);
    });
    await expect(work).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await expect(database.ping()).resolves.toBeUndefined();
    await Promise.all([database.close(), administrator.close()]);
  });

  it('error: DatabaseMigrationError on a database of a newer version', async () => {
    const database = await openDatabase({ url: temporary.url });
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', '2099')`.execute(
      database.db,
    );
    await database.close();
    await expect(openDatabase({ url: temporary.url })).rejects.toBeInstanceOf(DatabaseMigrationError);
  });
};

// Without a server the suite says so in its title and only checks that it did not overlook one.
describe(
  title,
  isPostgresReachable()
    ? tests
    : () => {
        it('is still not reachable', () => expect(isPostgresReachable()).toBe(false));
      },
);
