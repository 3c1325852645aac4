import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { PGlite, types } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { PostgresPoolClient } from 'kysely';
import type { MeasuredPool } from '../types.js';

interface PglitePoolOptions {
  /** A directory, or undefined for a database in memory. */
  readonly directory: string | undefined;
  /** How long to wait for the one connection (15 000). */
  readonly acquireTimeoutMs?: number;
  /** Throws when the directory may no longer be touched. */
  assertUsable(): void;
}

/**
 * PGlite as a pool of one connection, so that kysely's PostgreSQL dialect drives it unchanged. Queries that find
 * the connection in use wait in order. PGlite never calls fsync: commits survive the process, not a power loss.
 */
export async function createPglitePool(options: PglitePoolOptions): Promise<MeasuredPool> {
  const database = await openPglite(options.directory);
  const waiting: (() => void)[] = [];
  let taken = false;

  const acquire = () =>
    new Promise<void>((resolve, reject) => {
      if (!taken) {
        taken = true;
        resolve();
        return;
      }
      const turn = () => {
        clearTimeout(timer);
        resolve();
      };
      // Without it, code that requests a second connection inside a transaction would hang for ever.
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1);
        reject(
          new UpstreamUnavailableError({
            detail: 'The database is busy: its one connection was not free in time.',
            details: { dependency: 'database' },
            retryAfterSeconds: 2,
          }),
        );
      }, options.acquireTimeoutMs ?? 15_000);
      waiting.push(turn);
    });

  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else taken = false;
  };

  const query = async (sql: string, parameters: readonly unknown[]) => {
    options.assertUsable();
    const result = await database.query(sql, [...parameters]);
    return { command: result.command, rowCount: result.rowCount ?? 0, rows: result.rows };
  };
  const client = { query: query as PostgresPoolClient['query'], release };

  return {
    connect: async () => {
      await acquire();
      // PGlite responds without leaving the microtask queue: a loop of statements would keep timers (that of
      // the directory lock too), sockets and signals waiting.
      await setImmediate();
      return client;
    },
    end: () => database.close(),
    state: () => ({ open: 1, idle: taken ? 0 : 1, waiting: waiting.length }),
  };
}

const parsers = { [types.INT8]: (value: string) => BigInt(value) };

/**
 * Open PGlite in a directory or in memory. A new database is unpacked instead of made: making one takes three
 * times the time and twice the memory.
 */
async function openPglite(directory: string | undefined): Promise<PGlite> {
  if (directory === undefined) return PGlite.create({ loadDataDir: await emptyDatabase(), parsers });
  // There while the directory is unpacked: a process killed meanwhile leaves a part of a database.
  const unpacking = `${directory}.unpacking`;
  const version = join(directory, 'PG_VERSION');
  if (existsSync(version) && !existsSync(unpacking)) return PGlite.create({ dataDir: directory, parsers });
  await writeFile(unpacking, '');
  await rm(version, { force: true });
  const database = await PGlite.create({ dataDir: directory, loadDataDir: await emptyDatabase(), parsers });
  await rm(unpacking);
  return database;
}
