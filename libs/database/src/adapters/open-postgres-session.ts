import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { asDatabaseError, databaseOutage } from '../as-database-error.js';
import type { DatabaseSession } from '../handle.js';

const connectMs = 5_000;
const heartbeatMs = 2_000;
const responseMs = 3_000;

// The server ends the session, and frees its locks, when it receives no heartbeat for this long: the host may have
// vanished, or the process been suspended. Looked up first, since older servers do not know all of them. Not in the
// startup message, whose parameters PgBouncer refuses.
const serverLimits = {
  statement_timeout: String(responseMs),
  idle_session_timeout: '10s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  // A wait for a lock ends before the heartbeat behind it counts as lost.
  lock_timeout: '1s',
};

/** Open a connection outside the pool. @throws {UpstreamUnavailableError} when the server does not respond */
export async function openPostgresSession(url: string): Promise<DatabaseSession> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'yield-vault-session',
    connectionTimeoutMillis: connectMs,
    query_timeout: responseMs,
    keepAlive: true,
  });
  const lost = new AbortController();
  let ended: Promise<void> | undefined;

  const end = (reason: unknown): Promise<void> =>
    (ended ??= (async () => {
      lost.abort(asDatabaseError(reason) ?? reason);
      await client.end().catch(() => undefined);
    })());
  client.on('error', (error) => void end(error));
  client.on('end', () => void end(new Error('Connection terminated')));

  const query = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    try {
      return (await client.query(text, [...values])).rows as T[];
    } catch (error) {
      throw asDatabaseError(error) ?? error;
    }
  };

  const beat = async () => {
    for (;;) {
      await sleep(heartbeatMs, undefined, { signal: lost.signal });
      await query('select 1').catch(end);
    }
  };

  try {
    await client.connect();
    await query(
      `select set_config(name, value, false) from json_each_text($1) as wanted (name, value)
       where name in (select name from pg_settings)`,
      [JSON.stringify(serverLimits)],
    );
  } catch (error) {
    await end(error);
    throw asDatabaseError(error) ?? databaseOutage(error);
  }
  // Ends when the pause is aborted.
  beat().catch(() => undefined);
  return { query, lost: lost.signal, close: () => end(new Error('Connection closed')) };
}
