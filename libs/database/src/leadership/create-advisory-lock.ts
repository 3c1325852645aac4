import { advisoryKey } from '../advisory-key.js';
import type { DatabaseHandle, DatabaseSession } from '../handle.js';

// The session's limit on waiting for a lock ended the statement.
const lockNotAvailable = '55P03';

/** A lock that the processes of a database share. */
export interface AdvisoryLock {
  /**
   * Wait for the lock, run the work and free the lock. One call at a time in each process; waiting processes get the
   * lock in turn.
   *
   * @param deadlineMs - Unix milliseconds
   * @returns `undefined`, without a run, when the deadline passes before
   * @throws {UpstreamUnavailableError} when the database does not respond; and what the work throws
   */
  run<T>(work: () => Promise<T>, deadlineMs: number): Promise<T | undefined>;
}

/**
 * Let the processes that share a database do something one after the other. On PostgreSQL each lock keeps a connection
 * of its own; the server frees the lock of a process that dies, so the work must be safe to repeat. The directory of a
 * PGlite has one process, which never waits.
 *
 * @example
 * const lock = createAdvisoryLock(database, 'sender');
 * await lock.run(() => send(), Date.now() + 5_000);
 */
export function createAdvisoryLock(
  { openSession }: Pick<DatabaseHandle, 'openSession'>,
  name: string,
): AdvisoryLock {
  const inTime = async <T>(work: () => Promise<T>, deadlineMs: number) =>
    Date.now() < deadlineMs ? work() : undefined;
  if (!openSession) return { run: inTime };
  const key = advisoryKey(`lock:${name}`);
  let open: DatabaseSession | undefined;

  /** @returns whether the lock is held now */
  const acquire = async (session: DatabaseSession): Promise<boolean> => {
    try {
      await session.query('select pg_advisory_lock($1)', [key]);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === lockNotAvailable) return false;
      // The server may have granted the lock.
      await session.close();
      throw error;
    }
  };

  return {
    run: async (work, deadlineMs) => {
      if (!open || open.lost.aborted) open = await openSession();
      const session = open;
      do {
        if (Date.now() >= deadlineMs) return undefined;
      } while (!(await acquire(session)));
      try {
        return await inTime(work, deadlineMs);
      } finally {
        void session.query('select pg_advisory_unlock($1)', [key]).catch(() => session.close());
      }
    },
  };
}
