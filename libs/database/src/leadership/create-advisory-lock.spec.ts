import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { sql } from 'kysely';
import { openDatabase } from '../open-database.js';
import { createTemporaryPostgres, databaseBackends, isPostgresReachable } from '../testing/index.js';
import type { DatabaseHandle } from '../handle.js';
import { createAdvisoryLock } from './create-advisory-lock.js';

jest.setTimeout(60_000);

const inMs = (ms: number) => Date.now() + ms;

/** Work that lasts until it is ended. */
function holder() {
  let end = () => undefined as void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let begin = () => undefined as void;
  const began = new Promise<void>((resolve) => (begin = resolve));
  const work = async () => {
    begin();
    await ended;
    return 'held';
  };
  return { work, began, end: () => end() };
}

describe.each(databaseBackends())('createAdvisoryLock ($name)', ({ open }) => {
  let database: DatabaseHandle;

  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  it('default: runs the work, again and again', async () => {
    const lock = createAdvisoryLock(database, 'test');
    for (const result of [1, 2, 3])
      await expect(lock.run(() => Promise.resolve(result), inMs(5_000))).resolves.toBe(result);
  });

  it('behavior: no run after the deadline', async () => {
    const never = jest.fn();
    await expect(createAdvisoryLock(database, 'late').run(never, inMs(0))).resolves.toBeUndefined();
    expect(never).not.toHaveBeenCalled();
  });

  it('error: rejects with the error of the work, and frees the lock', async () => {
    const failing = createAdvisoryLock(database, 'failing');
    const error = new RangeError('work');
    await expect(failing.run(() => Promise.reject(error), inMs(5_000))).rejects.toBe(error);
    const next = createAdvisoryLock(database, 'failing');
    await expect(next.run(() => Promise.resolve('ran'), inMs(5_000))).resolves.toBe('ran');
  });
});

if (isPostgresReachable())
  describe('createAdvisoryLock of two processes', () => {
    let postgres: Awaited<ReturnType<typeof createTemporaryPostgres>>;
    let databases: [DatabaseHandle, DatabaseHandle];

    beforeAll(async () => {
      postgres = await createTemporaryPostgres();
      databases = [await openDatabase(postgres), await openDatabase(postgres)];
    });
    afterAll(async () => {
      await Promise.all(databases.map((database) => database.close()));
      await postgres.drop();
    });

    it('behavior: one waits for the other, for more than one lock timeout', async () => {
      const [first, second] = databases.map((database) => createAdvisoryLock(database, 'wait'));
      const { work, began, end } = holder();
      const held = first!.run(work, inMs(5_000));
      await began;
      let isRun = false;
      const waiting = second!.run(() => Promise.resolve((isRun = true)), inMs(30_000));
      await new Promise((resolve) => setTimeout(resolve, 3_500));
      expect(isRun).toBe(false);
      end();
      await expect(held).resolves.toBe('held');
      await expect(waiting).resolves.toBe(true);
    });

    it('behavior: they take turns, although one of them always wants it again', async () => {
      const [first, second] = databases.map((database) => createAdvisoryLock(database, 'turns'));
      const turns: string[] = [];
      const run = async (lock: typeof first, name: string, times: number) => {
        for (let count = 0; count < times; count++)
          await lock!.run(async () => {
            turns.push(name);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }, inMs(30_000));
      };
      await Promise.all([run(first, 'a', 20), run(second, 'b', 5)]);
      expect(turns.lastIndexOf('b')).toBeLessThan(15);
    });

    it('behavior: undefined, without a run, when the deadline passes', async () => {
      const [first, second] = databases.map((database) => createAdvisoryLock(database, 'late'));
      const { work, began, end } = holder();
      const held = first!.run(work, inMs(5_000));
      await began;
      const never = jest.fn();
      await expect(second!.run(never, inMs(50))).resolves.toBeUndefined();
      expect(never).not.toHaveBeenCalled();
      end();
      await held;
    });

    it('behavior: other names do not wait', async () => {
      const { work, began, end } = holder();
      const held = createAdvisoryLock(databases[0], 'one').run(work, inMs(5_000));
      await began;
      const other = createAdvisoryLock(databases[1], 'another');
      await expect(other.run(() => Promise.resolve('ran'), inMs(900))).resolves.toBe('ran');
      end();
      await held;
    });

    it('error: unavailable when the server ends the connection; the next call opens another one', async () => {
      const database = await openDatabase(postgres);
      const lock = createAdvisoryLock(database, 'outage');
      await lock.run(() => Promise.resolve(), inMs(1_000));
      // As a server does when it restarts.
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'yield-vault-session' and datname = current_database()`.execute(
        databases[0].db,
      );
      const outcomes = [];
      for (let tries = 0; tries < 2; tries++)
        outcomes.push(
          await lock.run(() => Promise.resolve('ran'), inMs(1_000)).catch((error: unknown) => error),
        );
      expect(outcomes[0] === 'ran' || outcomes[0] instanceof UpstreamUnavailableError).toBe(true);
      expect(outcomes[1]).toBe('ran');
      await database.close();
    });
  });
