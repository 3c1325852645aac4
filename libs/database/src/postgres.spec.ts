import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { startProxy } from '../test/start-proxy.js';
import { createMigrationDialect } from './adapters/create-migration-dialect.js';
import { createPostgresPool } from './adapters/postgres-pool.js';
import { advisoryKey } from './advisory-key.js';
import { DatabaseMigrationError } from './errors.js';
import { migrate, migrations } from './migrations/migrate.js';
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

  it('behavior: once the owner migrated, a role that may only change rows can serve', async () => {
    const role = `server_${new URL(temporary.url).pathname.slice(-12)}`;
    const file = readFileSync(join(__dirname, '../../../config/production/roles.sql'), 'utf8');
    const statements = file
      .replaceAll(/^\\set.*/gm, '')
      .replaceAll('yield_vault_server', role)
      .replace(":'password'", "'secret'");
    const pool = createPostgresPool({ url: temporary.url, maxConnections: 1 });
    const owner = new Kysely({ dialect: new PostgresDialect({ pool }) });
    await sql.raw(statements).execute(owner);
    const url = Object.assign(new URL(temporary.url), { username: role, password: 'secret' }).href;
    await expect(openDatabase({ url })).rejects.toThrow('permission denied');

    await (await openDatabase({ url: temporary.url })).close();
    const server = await openDatabase({ url });
    await server.ping();
    await server.db.insertInto('vault').values({ vault_id: 7n, chain_id: 1n, address: '0x7' }).execute();
    await expect(sql`create table other ()`.execute(server.db)).rejects.toThrow('permission denied');
    await server.close();
    await sql.raw(`drop owned by ${role}; drop role ${role}`).execute(owner);
    await owner.destroy();
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

  it('error: UpstreamUnavailableError when a new connection breaks at its first statement', async () => {
    const proxy = await startProxy(temporary.url, 'statement_timeout');
    await expect(openDatabase({ url: proxy.url })).rejects.toBeInstanceOf(UpstreamUnavailableError);
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

  it.each([
    ['a role that is not there', (url: string) => url.replace('postgres@', 'nobody_at_all@'), '28000'],
    ['a database that is not there', (url: string) => `${url}_no_more`, '3D000'],
    ['TLS that the server does not speak', (url: string) => `${url}?ssl=true`, undefined],
    ['a URL that is none', (url: string) => url.replace(':5432', ':99999'), 'ERR_INVALID_URL'],
  ])('error: UpstreamUnavailableError for %s', async (_, change, code) => {
    const error: unknown = await openDatabase({ url: change(temporary.url) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(((error as Error).cause as { code?: string }).code).toBe(code);
  });

  it('error: UpstreamUnavailableError from a server that became read-only; its connections are given up', async () => {
    const [database, administrator] = await Promise.all([
      openDatabase({ url: temporary.url, maxConnections: 1 }),
      openDatabase({ url: temporary.url }),
    ]);
    const name = sql.id(new URL(temporary.url).pathname.slice(1));
    const insert = () =>
      database.db.insertInto('vault').values({ vault_id: 1n, chain_id: 1n, address: '0x1' }).execute();
    const readOnly = sql`alter database ${name} set default_transaction_read_only = on`;
    await readOnly.execute(administrator.db);
    // New connections apply it by themselves; this one needs the setting.
    await sql`set default_transaction_read_only = on`.execute(database.db);
    await expect(insert()).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await expect(database.ping()).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await sql`alter database ${name} reset default_transaction_read_only`.execute(administrator.db);
    // A connection that was kept would be read-only for good.
    await expect(database.ping()).resolves.toBeUndefined();
    await insert();
    await Promise.all([database.close(), administrator.close()]);
  });

  it('behavior: a process that waits for another process’s migration logs it once, and continues after it', async () => {
    const database = await openDatabase({ url: temporary.url });
    const session = await database.openSession!();
    await session.query('select pg_advisory_lock($1)', [advisoryKey('migrations')]);
    let reported = 0;
    const onMigrationWait = () => {
      reported += 1;
      void session.close();
    };
    const other = await openDatabase({ url: temporary.url, onMigrationWait });
    expect(reported).toBe(1);
    await Promise.all([database.close(), other.close()]);
  });

  it('error: DatabaseMigrationError when the migration of another process does not end', async () => {
    const database = await openDatabase({ url: temporary.url });
    const session = await database.openSession!();
    await session.query('select pg_advisory_lock($1)', [advisoryKey('migrations')]);
    const pool = createPostgresPool({ url: temporary.url, maxConnections: 1 });
    const db = new Kysely({ dialect: createMigrationDialect(pool, { noticeMs: 0, deadlineMs: 300 }) });
    await expect(migrate(db, migrations)).rejects.toBeInstanceOf(DatabaseMigrationError);
    await db.destroy();
    await database.close();
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
