import { Kysely, PostgresDialect, sql } from 'kysely';
import { createMigrationDialect } from './adapters/create-migration-dialect.js';
import { lockDirectory } from './adapters/lock-directory.js';
import { createPglitePool } from './adapters/pglite-pool.js';
import { openPostgresSession } from './adapters/open-postgres-session.js';
import { createPostgresPool } from './adapters/postgres-pool.js';
import { requireSessions } from './adapters/require-sessions.js';
import { withUpstreamErrors } from './adapters/with-upstream-errors.js';
import { migrate, migrations } from './migrations/migrate.js';
import type { DatabaseHandle, DatabaseSession } from './handle.js';
import type { Schema } from './tables/schema.js';
import type { DatabaseOptions, MeasuredPool } from './types.js';

/**
 * Open a database and bring its tables up to date. PostgreSQL and PGlite run the same SQL and return the same
 * types: int8 as bigint, numeric as string, timestamptz as Date.
 *
 * @throws {DatabaseLockedError} when another process holds the directory
 * @throws {UnsupportedPoolerError} behind a pooler in transaction mode
 * @throws {DatabaseMigrationError} when a migration fails or the database is newer than the code
 * @throws {UpstreamUnavailableError} when the server does not respond
 * @example
 * const database = await openDatabase({ directory: '.local/database' });
 * await database.db.selectFrom('vault').selectAll().execute();
 * await database.close();
 */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseHandle> {
  return 'url' in options ? openPostgres(options) : openPglite(options);
}

async function openPostgres(options: Extract<DatabaseOptions, { url: string }>): Promise<DatabaseHandle> {
  await requireSessions(options.url);
  // Waiting for the migration of another process, and migrating, may take longer than any statement should.
  const pool = createPostgresPool({ ...options, maxConnections: 1, statementTimeoutMs: 0 });
  const migrating = new Kysely<Schema>({
    dialect: createMigrationDialect(withUpstreamErrors(pool), { onWait: options.onMigrationWait }),
  });
  await migrate(migrating, migrations).finally(() => migrating.destroy());
  const sessions = createSessions(() => openPostgresSession(options.url));
  return {
    ...toHandle('postgres', createPostgresPool(options), sessions.close),
    openSession: sessions.open,
  };
}

/** Remember which sessions are open, so that closing the database ends them. */
function createSessions(open: () => Promise<DatabaseSession>) {
  const sessions = new Set<DatabaseSession>();
  let isClosed = false;
  return {
    open: async (): Promise<DatabaseSession> => {
      if (isClosed) throw new Error('The database is closed.');
      const session = await open();
      sessions.add(session);
      session.lost.addEventListener('abort', () => sessions.delete(session));
      return session;
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

async function openPglite(options: Exclude<DatabaseOptions, { url: string }>): Promise<DatabaseHandle> {
  const directory = 'directory' in options ? options.directory : undefined;
  const lock = directory === undefined ? undefined : await lockDirectory(directory);
  const release = async () => lock?.release();
  try {
    const pool = await createPglitePool({ directory, assertUsable: () => lock?.assertHeld() });
    const handle = toHandle('pglite', pool, release);
    await migrate(handle.db, migrations).catch(async (error: unknown) => {
      await handle.db.destroy();
      throw error;
    });
    return handle;
  } catch (error) {
    await release();
    throw error;
  }
}

function toHandle(
  kind: DatabaseHandle['kind'],
  pool: MeasuredPool,
  release: () => Promise<void>,
): DatabaseHandle {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withUpstreamErrors(pool) }) });
  let closing: Promise<void> | undefined;
  return {
    db,
    kind,
    pool: () => pool.state(),
    close: () => (closing ??= db.destroy().finally(release)),
    ping: async () => {
      // Changes nothing, and fails on a server that takes no writes.
      await sql`select from intent where false for update`.execute(db);
    },
  };
}
