import { setTimeout as sleep } from 'node:timers/promises';
import { advisoryKey } from '../advisory-key.js';
import type { DatabaseHandle, DatabaseSession } from '../handle.js';

const retryMs = 1_000;

export interface LeadershipOptions {
  /** Called when the database fails while this process leads or waits. The next attempt follows. */
  readonly onError?: (error: unknown) => void;
  /** Called once per wait when another process leads. */
  readonly onOther?: () => void;
}

/** One process among several that share a database. */
export interface Leadership {
  /**
   * Wait to lead and then do this work; again whenever leadership was lost and came back. May be called once.
   *
   * @param work gets a signal that aborts when leadership is lost or `stop` is called, and then has to end.
   * Another process may lead before it has stopped, so its writes must be safe to repeat.
   * @returns when the work ended by itself, or after `stop`
   * @throws what the work throws while it leads
   */
  lead(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  isLeader(): boolean;
  /** Abort the work, wait for its end and let another process lead. */
  stop(): Promise<void>;
}

/**
 * Let one of the processes that share a database do what only one should do. On PostgreSQL the leader holds an
 * advisory lock on a connection of its own; when the process dies the server frees it, and another one leads
 * within seconds. On PGlite the directory has one process, which leads at once.
 *
 * @param name each name has its own leader
 * @example
 * const leadership = createLeadership(database, 'worker');
 * await leadership.lead((signal) => doWork(signal));
 */
export function createLeadership(
  database: Pick<DatabaseHandle, 'openSession'>,
  name: string,
  { onError, onOther }: LeadershipOptions = {},
): Leadership {
  const key = advisoryKey(`leadership:${name}`);
  const stopping = new AbortController();
  const stopped = stopping.signal;
  let term: AbortSignal | undefined;
  let running: Promise<void> | undefined;

  const pause = () => sleep(retryMs, undefined, { signal: stopped }).catch(() => undefined);

  /** @returns whether the work came to an end while leading */
  const serve = async (work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => {
    term = signal;
    try {
      await work(signal);
      return !signal.aborted;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    } finally {
      term = undefined;
    }
  };

  /** @returns a session that holds the lock; undefined when stopped or when the database failed */
  const elect = async (open: () => Promise<DatabaseSession>): Promise<DatabaseSession | undefined> => {
    let session: DatabaseSession | undefined;
    try {
      session = await open();
      for (let isWaiting = false; !stopped.aborted; isWaiting = true) {
        const [row] = await session.query<{ won: boolean }>('select pg_try_advisory_lock($1) as won', [key]);
        if (row?.won) return session;
        if (!isWaiting) onOther?.();
        await pause();
      }
    } catch (error) {
      onError?.(error);
    }
    await session?.close();
    return undefined;
  };

  const campaign = async (work: (signal: AbortSignal) => Promise<void>) => {
    const { openSession } = database;
    while (!stopped.aborted) {
      if (!openSession) {
        await serve(work, stopped);
        return;
      }
      const session = await elect(openSession);
      try {
        if (session && (await serve(work, AbortSignal.any([stopped, session.lost])))) return;
        if (session?.lost.aborted) onError?.(session.lost.reason);
      } finally {
        await session?.close();
      }
      await pause();
    }
  };

  return {
    lead: async (work) => {
      if (running) throw new Error(`Leadership of ${name} was requested already.`);
      running = campaign(work);
      await running;
    },
    isLeader: () => term?.aborted === false,
    stop: async () => {
      stopping.abort();
      // An error of the work goes to the caller of `lead`.
      await running?.catch(() => undefined);
    },
  };
}
