import type { Kysely } from 'kysely';
import type { Schema } from './tables/schema.js';

/** One connection to PostgreSQL, kept alive by a heartbeat. */
export interface DatabaseSession {
  /** @throws {UpstreamUnavailableError} when the server does not respond */
  query<T>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Aborts when the connection broke, was closed, or the server stopped responding; the reason is the error. */
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
