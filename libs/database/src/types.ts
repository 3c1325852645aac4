import type { Kysely } from 'kysely';
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
    }
  | { readonly directory: string }
  | { readonly memory: true };

/** An open, migrated database. */
export interface DatabaseHandle {
  readonly db: Kysely<Schema>;
  readonly kind: 'pglite' | 'postgres';
  /** Close every connection and give up the directory. May be called more than once. */
  close(): Promise<void>;
  /** @throws {UpstreamUnavailableError} when the database does not answer */
  ping(): Promise<void>;
}
