import { sql, type RawBuilder } from 'kysely';

export const toDate = (seconds: number): Date => new Date(seconds * 1_000);
export const toSeconds = (date: Date): number => date.getTime() / 1_000;

/** `column = any(…)`: the ids are one parameter, however many there are. */
export const anyOf = (ids: readonly number[]): RawBuilder<number> => sql`any(${[...ids]}::integer[])`;

/**
 * Rows as one parameter, named `row`: the embedded database takes three times as long over one for each value,
 * and PostgreSQL allows 65 535 of them.
 *
 * @param columns names and types, as SQL
 */
export const recordset = (rows: readonly object[], columns: string): RawBuilder<never> =>
  sql`json_to_recordset(${JSON.stringify(rows)}::json) as row (${sql.raw(columns)})`;
