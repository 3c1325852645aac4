import type { Kysely, PostgresPool } from 'kysely';
import type { Schema } from './schema/schema.js';

/** Which database to open: PostgreSQL by URL, an embedded one in a directory, or one in memory for tests. */
export type DatabaseOptions =
  | {
      /** `postgres://user:password@host:port/name`. */
      readonly url: string;
      /** Connections at most (10). */
      readonly maxConnections?: number;
      /** Deadline of one statement in milliseconds (30 000). */
      readonly statementTimeoutMs?: number;
      /** Deadline for getting a connection in milliseconds (5 000). */
      readonly connectionTimeoutMs?: number;
      /** Called once after a wait of 5 s for the migration of another process. Opening fails after 5 minutes. */
      readonly onMigrationWait?: () => void;
    }
  | { readonly directory: string }
  | { readonly memory: true };

/** One connection to PostgreSQL, kept alive by a heartbeat. */
export interface DatabaseSession {
  /** @throws {UpstreamUnavailableError} when the server does not respond */
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Aborts when the connection broke, was closed, or the server stopped answering; the reason is the error. */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

/** Connections of the pool now. */
export interface PoolState {
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

/** A pool that says how its connections are used. */
export interface MeasuredPool extends PostgresPool {
  state(): PoolState;
}

/** An open, migrated database. */
export interface DatabaseHandle {
  readonly db: Kysely<Schema>;
  readonly kind: 'pglite' | 'postgres';
  /** How the pool is used now. Never waits. */
  pool(): PoolState;
  /**
   * Open a connection beside the pool and its limit, for what belongs to a connection (advisory locks). Absent
   * on PGlite, whose one connection serves everything. `close` ends it too.
   *
   * @throws {UpstreamUnavailableError} when the server does not respond
   */
  readonly openSession?: () => Promise<DatabaseSession>;
  /** Close every connection and give up the directory. May be called more than once. */
  close(): Promise<void>;
  /** @throws {UpstreamUnavailableError} when the database does not respond, or takes no writes */
  ping(): Promise<void>;
}
