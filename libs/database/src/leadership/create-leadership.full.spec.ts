import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { sql } from 'kysely';
import { stand } from '../../test/stand.js';
import { startProxy } from '../../test/start-proxy.js';
import { startScript } from '../../test/start-script.js';
import { openDatabase } from '../open-database.js';
import { createTemporaryPostgres, isPostgresReachable, testPostgresUrl } from '../testing/index.js';

jest.setTimeout(60_000);

const severalProcesses = () => {
  let temporary: Awaited<ReturnType<typeof createTemporaryPostgres>>;
  let children: ChildProcess[];

  beforeEach(async () => {
    temporary = await createTemporaryPostgres();
    children = [];
  });
  afterEach(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    await temporary.drop();
  });

  /** Another process; `line` resolves when it prints that. */
  const startLeading = () => {
    const child = startScript('lead.ts', temporary.url);
    children.push(child);
    const lines = createInterface({ input: child.stdout! });
    const printed = new Set<string>();
    const changes = new EventEmitter();
    lines.on('line', (line) => {
      printed.add(line);
      changes.emit('line');
    });
    const line = async (text: string) => {
      while (!printed.has(text)) await once(changes, 'line');
    };
    return { child, line, printed };
  };

  it('default: one of two leads, the other follows when it stops; each name has its own leader', async () => {
    const [first, second] = await Promise.all([
      openDatabase({ url: temporary.url, maxConnections: 1 }),
      openDatabase({ url: temporary.url, maxConnections: 1 }),
    ]);
    const reported: string[] = [];
    const leader = stand(first, { onOther: () => reported.push('leader') });
    await leader.began;
    let onWaiting: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (onWaiting = resolve));
    const onOther = () => {
      reported.push('follower');
      onWaiting();
    };
    const follower = stand(second, { onOther });
    await waiting;
    const elsewhere = stand(second, {}, 'other');
    await elsewhere.began;
    expect(follower.leadership.isLeader()).toBe(false);
    // The lock takes no connection of the pool: with one, the leader could do nothing.
    await first.ping();
    await leader.leadership.stop();
    await follower.began;
    expect(follower.leadership.isLeader()).toBe(true);
    expect(reported).toEqual(['follower']);
    await Promise.all([follower.leadership.stop(), elsewhere.leadership.stop()]);
    await Promise.all([first.close(), second.close()]);
  });

  it('behavior: a connection that the server ends aborts the work at once; another one leads', async () => {
    const [first, second] = await Promise.all([
      openDatabase({ url: temporary.url }),
      openDatabase({ url: temporary.url }),
    ]);
    const troubles: unknown[] = [];
    const leader = stand(first, { onError: (error) => troubles.push(error) });
    await leader.began;
    const follower = stand(second);
    await sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`.execute(
      first.db,
    );
    await leader.ended;
    await Promise.race([once(leader.events, 'began'), follower.began]);
    expect([leader, follower].filter(({ leadership }) => leadership.isLeader())).toHaveLength(1);
    expect(troubles).toEqual([expect.any(UpstreamUnavailableError)]);
    await Promise.all([leader.leadership.stop(), follower.leadership.stop()]);
    await Promise.all([first.close(), second.close()]);
  });

  it('behavior: a killed process is followed within seconds', async () => {
    const leader = startLeading();
    await leader.line('leading');
    const follower = startLeading();
    await follower.line('open');
    expect(follower.printed.has('leading')).toBe(false);
    leader.child.kill('SIGKILL');
    const killed = Date.now();
    await follower.line('leading');
    expect(Date.now() - killed).toBeLessThan(5_000);
  });

  it('behavior: a suspended process loses its lead, and knows it when it wakes', async () => {
    const leader = startLeading();
    await leader.line('leading');
    const follower = startLeading();
    await follower.line('open');
    leader.child.kill('SIGSTOP');
    await follower.line('leading');
    leader.child.kill('SIGCONT');
    await leader.line('aborted');
  });

  it('behavior: a server that stops answering aborts the work; it leads again when the server is back', async () => {
    const proxy = await startProxy(temporary.url);
    const database = await openDatabase({ url: proxy.url });
    const { leadership, events, began, ended } = stand(database);
    await began;
    const beganAgain = once(events, 'began');
    proxy.silence(true);
    await ended;
    expect(leadership.isLeader()).toBe(false);
    proxy.silence(false);
    proxy.cut();
    await beganAgain;
    await leadership.stop();
    await database.close();
    await proxy.stop();
  });

  it('behavior: closing the database ends the lead', async () => {
    const database = await openDatabase({ url: temporary.url });
    const { leadership, began, ended } = stand(database);
    await began;
    await database.close();
    await ended;
    expect(leadership.isLeader()).toBe(false);
    await leadership.stop();
  });

  it('error: reported to onError while the server is unreachable, and repeated', async () => {
    const proxy = await startProxy(temporary.url);
    const database = await openDatabase({ url: proxy.url });
    await proxy.stop();
    const reported = new EventEmitter();
    const first = once(reported, 'error-of-database');
    const { leadership } = stand(database, { onError: (error) => reported.emit('error-of-database', error) });
    expect(await first).toEqual([expect.any(UpstreamUnavailableError)]);
    expect(await once(reported, 'error-of-database')).toEqual([expect.any(UpstreamUnavailableError)]);
    await leadership.stop();
    await database.close();
  });
};

// Without a server the suite says so in its title and only checks that it did not overlook one.
describe(
  isPostgresReachable()
    ? 'createLeadership among processes'
    : `createLeadership among processes (PostgreSQL not reachable at ${testPostgresUrl}: not run)`,
  isPostgresReachable()
    ? severalProcesses
    : () => {
        it('is still not reachable', () => expect(isPostgresReachable()).toBe(false));
      },
);
