import type { PoolState } from './handle.js';
import type { PostgresPool } from 'kysely';

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

/** A pool that says how its connections are used. */
export interface MeasuredPool extends PostgresPool {
  state(): PoolState;
}
