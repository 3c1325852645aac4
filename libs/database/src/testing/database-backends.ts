import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../open-database.js';
import type { DatabaseHandle } from '../handle.js';

/** Where tests look for PostgreSQL. */
export const testPostgresUrl = 'postgres://postgres@127.0.0.1:5432/test';

/** One of the two back ends, for tests that run on both. */
export interface DatabaseBackend {
  readonly name: string;
  /** Open a fresh, empty, migrated database; closing it removes it. */
  open(): Promise<DatabaseHandle>;
}

/** Open a fresh, empty, migrated database: on PostgreSQL, which opens sooner, or on PGlite where none listens. */
export function openTestDatabase(): Promise<DatabaseHandle> {
  return openTemporaryPostgres().catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    return openDatabase({ memory: true });
  });
}

/**
 * List the back ends that a test of this library can use here: PGlite in memory always, PostgreSQL when it responds.
 * Decided before the tests are declared, so that the report names what ran:
 * `describe.each(databaseBackends())('$name', ({ open }) => …)`.
 */
export function databaseBackends(): DatabaseBackend[] {
  const pglite = { name: 'PGlite', open: () => openDatabase({ memory: true }) };
  if (!isPostgresReachable()) {
    process.stderr.write(
      `PostgreSQL is not reachable at ${testPostgresUrl}: its half of the tests is not run.\n`,
    );
    return [pglite];
  }
  return [pglite, { name: 'PostgreSQL', open: openTemporaryPostgres }];
}

/** Whether PostgreSQL responds to a query; synchronous because test suites are declared so. */
export function isPostgresReachable(): boolean {
  const { hostname, port } = new URL(testPostgresUrl);
  const probe = `require('net').connect(${port}, '${hostname}').on('connect', () => process.exit(0)).on('error', () => process.exit(1)); setTimeout(() => process.exit(1), 2000)`;
  return spawnSync(process.execPath, ['-e', probe]).status === 0;
}

/**
 * Create a database for one test; `drop` ends its connections and removes it.
 *
 * @param template - URL of a database to copy, which nobody may use meanwhile
 */
export async function createTemporaryPostgres(
  template?: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `yield_vault_test_${randomBytes(6).toString('hex')}`;
  const source = template === undefined ? 'template1' : new URL(template).pathname.slice(1);
  await administer(`create database ${name} template ${source}`);
  const url = new URL(testPostgresUrl);
  url.pathname = name;
  return { url: url.href, drop: () => administer(`drop database ${name} with (force)`) };
}

async function openTemporaryPostgres(): Promise<DatabaseHandle> {
  const { url, drop } = await createTemporaryPostgres();
  const database = await openDatabase({ url });
  let closing: Promise<void> | undefined;
  return { ...database, close: () => (closing ??= database.close().finally(drop)) };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testPostgresUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
