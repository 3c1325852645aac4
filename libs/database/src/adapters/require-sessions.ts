import pg from 'pg';
import { asDatabaseError, databaseOutage } from '../as-database-error.js';
import { UnsupportedPoolerError } from '../errors.js';

const connectMs = 5_000;
const responseMs = 3_000;
// Other clients of the pooler may get in between; each round is another chance to see a change.
const rounds = 10;

/**
 * Refuse a pooler that shares a server connection between clients: advisory locks and leadership need a session.
 * PostgreSQL itself tells each client the id of its own process; a pooler tells another id. Behind a pooler, two
 * clients keep two processes only if each has a session.
 *
 * @throws {UnsupportedPoolerError} when a client does not keep its session
 * @throws {UpstreamUnavailableError} when the server does not respond
 */
export async function requireSessions(url: string): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    const first = await connect(url, clients);
    if ((first as { processID?: number }).processID === (await processOf(first))) return;
    const second = await connect(url, clients);
    for (let round = 0; round < rounds; round++) {
      const [before, other, after] = [
        await processOf(first),
        await processOf(second),
        await processOf(first),
      ];
      if (before === other || before !== after) throw new UnsupportedPoolerError();
    }
  } catch (error) {
    if (error instanceof UnsupportedPoolerError) throw error;
    throw asDatabaseError(error) ?? databaseOutage(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function connect(url: string, clients: pg.Client[]): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'yield-vault-check',
    connectionTimeoutMillis: connectMs,
    query_timeout: responseMs,
  });
  client.on('error', () => undefined);
  clients.push(client);
  await client.connect();
  return client;
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
