import { sql, type Kysely, type Transaction } from 'kysely';
import { advisoryKey } from '../advisory-key.js';
import type { Schema } from '../tables/schema.js';

/** A bound in the type of the partition key, as text of the statement: bounds of partitions take no parameters. */
const bounds = {
  vault_snapshot: (seconds: number) => sql.lit(new Date(seconds * 1_000).toISOString()),
  intent_archive: (seconds: number) => sql.lit(seconds),
};

/** A table with one partition for each calendar month (UTC). */
export type PartitionedTable = keyof typeof bounds;

/** The part of a table that holds a calendar month (UTC). */
export interface MonthPartition {
  /** Name of its table, `vault_snapshot_2026_11`. */
  readonly name: string;
  /** Unix seconds. */
  readonly from: number;
  /** Exclusive; Unix seconds. */
  readonly until: number;
}

/**
 * Create the missing partitions for rows of these times. Several processes may do so at once.
 *
 * @param times Unix seconds
 * @throws {UpstreamUnavailableError} when the database does not respond
 */
export async function ensurePartitions(
  db: Kysely<Schema>,
  table: PartitionedTable,
  times: readonly number[],
): Promise<void> {
  if ((await missingPartitions(db, table, times)).length === 0) return;
  await db.transaction().execute((transaction) => createPartitions(transaction, table, times));
}

/**
 * Create the missing partitions for rows of these times, under the exclusive lock of the table.
 *
 * @param times Unix seconds
 */
export async function createPartitions(
  transaction: Transaction<Schema>,
  table: PartitionedTable,
  times: readonly number[],
): Promise<void> {
  await lockPartitions(transaction, table, 'exclusive');
  const bound = bounds[table];
  for (const { name, from, until } of await missingPartitions(transaction, table, times))
    await sql`create table ${sql.table(name)} partition of ${sql.table(table)}
      for values from (${bound(from)}) to (${bound(until)})`.execute(transaction);
}

/**
 * Write snapshots of these times in one transaction, with the partitions that they need.
 *
 * @param times Unix seconds
 * @throws {UpstreamUnavailableError} when the database does not respond
 */
export async function writeSnapshots(
  db: Kysely<Schema>,
  times: readonly number[],
  write: (transaction: Transaction<Schema>) => Promise<void>,
): Promise<void> {
  let isWritten = false;
  while (!isWritten) {
    await ensurePartitions(db, 'vault_snapshot', times);
    isWritten = await db.transaction().execute(async (transaction) => {
      await lockPartitions(transaction, 'vault_snapshot', 'shared');
      // Retention may have dropped a month since; under the lock it cannot.
      if ((await missingPartitions(transaction, 'vault_snapshot', times)).length > 0) return false;
      await write(transaction);
      return true;
    });
  }
}

async function missingPartitions(
  db: Kysely<Schema>,
  table: PartitionedTable,
  times: readonly number[],
): Promise<readonly MonthPartition[]> {
  const existing = new Set((await listPartitions(db, table)).map(({ name }) => name));
  const wanted = new Map(
    times.map((t) => partitionOf(table, t)).map((partition) => [partition.name, partition]),
  );
  return [...wanted.values()].filter(({ name }) => !existing.has(name));
}

/** List the existing partitions, oldest first. */
export async function listPartitions(
  db: Kysely<Schema>,
  table: PartitionedTable,
): Promise<readonly MonthPartition[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${sql.lit(table)}::regclass order by relname`.execute(db);
  return rows.flatMap(({ name }) => {
    const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? [];
    return year && month ? [partitionOfMonth(table, Number(year), Number(month) - 1)] : [];
  });
}

/**
 * Take the right to write rows (`shared`) or to change the partitions (`exclusive`) until the transaction ends. Take it
 * before touching the table, so that writers and retention cannot deadlock.
 */
export async function lockPartitions(
  transaction: Transaction<Schema>,
  table: PartitionedTable,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(${advisoryKey(table)}::bigint)`.execute(transaction);
}

function partitionOf(table: PartitionedTable, t: number): MonthPartition {
  const date = new Date(t * 1_000);
  return partitionOfMonth(table, date.getUTCFullYear(), date.getUTCMonth());
}

function partitionOfMonth(table: PartitionedTable, year: number, month: number): MonthPartition {
  const from = new Date(Date.UTC(year, month));
  return {
    name: `${table}_${from.toISOString().slice(0, 7).replace('-', '_')}`,
    from: from.getTime() / 1_000,
    until: Date.UTC(year, month + 1) / 1_000,
  };
}
