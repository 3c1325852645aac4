import { type RawBuilder, sql } from 'kysely';
import { inChunks } from '../batching.js';

/** PGlite holds the event loop for as long as a statement takes. */
export const rowsPerStatement = 500;

export const toDate = (seconds: number): Date => new Date(seconds * 1_000);
export const toSeconds = (date: Date): number => date.getTime() / 1_000;

/** `column = any(…)`: all ids are one parameter. */
export const anyOf = (ids: readonly number[]): RawBuilder<number> => sql`any(${[...ids]}::integer[])`;

/**
 * Rows as one parameter, named `row`: PGlite is three times as fast as with one parameter for each value, and
 * PostgreSQL allows only 65,535 parameters.
 *
 * @param columns names and types, as SQL
 */
export const recordset = (rows: readonly object[], columns: string): RawBuilder<never> =>
  sql`json_to_recordset(${JSON.stringify(rows)}::json) as row (${sql.raw(columns)})`;

/** Read rows of many ids, with a bounded number of ids in each statement. */
export async function readInChunks<T>(
  ids: readonly number[],
  read: (part: readonly number[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const part of inChunks(ids, 5_000)) for (const row of await read(part)) found.push(row);
  return found;
}
