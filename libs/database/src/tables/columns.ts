import type { ColumnType } from 'kysely';

/** int8: read as bigint on both back ends. */
export type Int8 = ColumnType<bigint, bigint | number, bigint | number>;

/** int8 that the database counts up. */
export type GeneratedInt8 = ColumnType<bigint, never, never>;

/** numeric: read as a decimal string on both back ends. */
export type Numeric = ColumnType<string, string | bigint, string | bigint>;

/** timestamptz: read as Date on both back ends. */
export type Timestamp = ColumnType<Date, Date, Date>;

/** timestamptz with a default. */
export type DefaultedTimestamp = ColumnType<Date, Date | undefined, Date>;

/**
 * jsonb: read as parsed JSON, written as JSON text. The text form is used because the drivers differ on
 * arrays: node-postgres would write a JavaScript array as an SQL array.
 */
export type Jsonb<T> = ColumnType<T, string, string>;

/** bytea: read as bytes on both back ends (a Buffer on PostgreSQL). */
export type Bytea = ColumnType<Uint8Array, Uint8Array, Uint8Array>;
