import type { PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { asDatabaseError } from '../as-database-error.js';
import type { DatabaseOptions, MeasuredPool } from '../types.js';

type PostgresOptions = Extract<DatabaseOptions, { url: string }>;

const int8Oid: number = pg.types.builtins.INT8;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8Oid
      ? BigInt
      : (pg.types.getTypeParser(oid, format) as unknown)) as typeof pg.types.getTypeParser,
};

/**
 * A node-postgres pool as kysely's dialect takes it. Every wait has a deadline, and a connection on which one
 * ran out, or which broke, is dropped instead of being handed on.
 */
export function createPostgresPool(options: PostgresOptions): MeasuredPool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  // Not in the startup message, whose parameters PgBouncer refuses.
  const limits = `set statement_timeout = ${statementTimeoutMs};
    set idle_in_transaction_session_timeout = ${2 * statementTimeoutMs}`;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    application_name: 'yield-vault',
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    // Only for a server that has vanished: a living one ends the statement first.
    query_timeout: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + 5_000,
    keepAlive: true,
    types,
    // The pool waits for it, and listens for errors of the connection: without a listener they end the process.
    onConnect: (client): unknown => client.query(limits),
  });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return {
    connect: async () => toClient(await pool.connect()),
    end: () => pool.end(),
    state: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

function toClient(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  const onError = () => {
    broken = true;
  };
  // A connection may also break between two statements of a transaction.
  client.on('error', onError);
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      broken ||= asDatabaseError(error) !== undefined;
      throw error;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: () => {
      client.off('error', onError);
      client.release(broken);
    },
  };
}
