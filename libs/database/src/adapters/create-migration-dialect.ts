import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresAdapter, PostgresDialect, sql, type Dialect, type Kysely, type PostgresPool } from 'kysely';
import { advisoryKey } from '../advisory-key.js';

const retryMs = 250;
const key = advisoryKey('migrations');

export interface MigrationWait {
  /** Called once when another process still has the lock after `noticeMs`. */
  readonly onWait?: () => void;
  readonly noticeMs?: number;
  /** How long to wait in all. */
  readonly deadlineMs?: number;
}

/**
 * PostgreSQL for migrations: one process at a time. A waiting process reports it, and gives up in the end.
 * Kysely's own lock waits for an hour without a report.
 */
export function createMigrationDialect(pool: PostgresPool, wait: MigrationWait): Dialect {
  const lock = {
    acquireMigrationLock: (db: Kysely<unknown>) => takeLock(db, wait),
    releaseMigrationLock: async (db: Kysely<unknown>) => {
      await sql`select pg_advisory_unlock(${key})`.execute(db);
    },
  };
  return Object.assign(new PostgresDialect({ pool }), {
    createAdapter: () => Object.assign(new PostgresAdapter(), lock),
  });
}

async function takeLock(
  db: Kysely<unknown>,
  { onWait, noticeMs = 5_000, deadlineMs = 300_000 }: MigrationWait,
): Promise<void> {
  const started = Date.now();
  for (let isLogged = false; ; await sleep(retryMs)) {
    const { rows } = await sql<{ won: boolean }>`select pg_try_advisory_lock(${key}) as won`.execute(db);
    if (rows[0]?.won) return;
    const waitedMs = Date.now() - started;
    if (waitedMs >= deadlineMs) {
      throw new Error(
        `another process has held the migration lock for ${Math.round(deadlineMs / 1_000)} s. ` +
          'Wait for it, or end its connection to the database.',
      );
    }
    if (isLogged || waitedMs < noticeMs) continue;
    isLogged = true;
    onWait?.();
  }
}
