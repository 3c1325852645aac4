import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { asDatabaseError, databaseOutage } from '../as-database-error.js';

/**
 * Let a pool throw UpstreamUnavailableError where the database is down, so that no caller has to translate. No
 * connection is an outage for whatever reason: no statement can be to blame.
 */
export function withUpstreamErrors(pool: PostgresPool): PostgresPool {
  return {
    connect: async () => {
      const client = await translated(pool.connect(), databaseOutage);
      return {
        query: ((sql: string, parameters: readonly unknown[]) =>
          translated(client.query(sql, parameters))) as PostgresPoolClient['query'],
        release: () => client.release(),
      };
    },
    end: () => pool.end(),
  };
}

async function translated<T>(work: Promise<T>, otherwise = (error: unknown) => error): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asDatabaseError(error) ?? otherwise(error);
  }
}
