import { sql, type Kysely, type Transaction } from 'kysely';
import { advisoryKey } from '../advisory-key.js';
import type { Schema } from '../tables/schema.js';

const writesKey = advisoryKey('vault_snapshot');
const namePattern = /^vault_snapshot_(\d{4})_(\d{2})$/;

/** The part of `vault_snapshot` that holds a calendar month (UTC). */
export interface SnapshotPartition {
  /** Name of its table, `vault_snapshot_2026_11`. */
  readonly name: string;
  /** Unix seconds. */
  readonly from: number;
  /** Exclusive; Unix seconds. */
  readonly until: number;
}

/**
 * Create the missing partitions for snapshots of these times. Several processes may do so at once.
 *
 * @param times Unix seconds
 * @throws {UpstreamUnavailableError} when the database does not respond
 */
export async function ensureSnapshotPartitions(db: Kysely<Schema>, times: readonly number[]): Promise<void> {
  const missing = await missingPartitions(db, times);
  if (missing.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    // `if not exists` checks before it locks, so two processes could both create the partition.
    await lockSnapshotWrites(transaction, 'exclusive');
    for (const { name, from, until } of missing)
      await sql`create table if not exists ${sql.table(name)} partition of vault_snapshot
        for values from (${timestamp(from)}) to (${timestamp(until)})`.execute(transaction);
  });
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
    await ensureSnapshotPartitions(db, times);
    isWritten = await db.transaction().execute(async (transaction) => {
      await lockSnapshotWrites(transaction, 'shared');
      // Retention may have dropped a month since; under the lock it cannot.
      if ((await missingPartitions(transaction, times)).length > 0) return false;
      await write(transaction);
      return true;
    });
  }
}

async function missingPartitions(
  db: Kysely<Schema>,
  times: readonly number[],
): Promise<readonly SnapshotPartition[]> {
  const existing = new Set((await listSnapshotPartitions(db)).map(({ name }) => name));
  const wanted = new Map(times.map(partitionOf).map((partition) => [partition.name, partition]));
  return [...wanted.values()].filter(({ name }) => !existing.has(name));
}

/** List the existing partitions, oldest first. */
export async function listSnapshotPartitions(db: Kysely<Schema>): Promise<readonly SnapshotPartition[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'vault_snapshot'::regclass order by relname`.execute(db);
  return rows.flatMap(({ name }) => {
    const [, year, month] = namePattern.exec(name) ?? [];
    return year && month ? [partitionOfMonth(Number(year), Number(month) - 1)] : [];
  });
}

/**
 * Take the right to write snapshots (`shared`) or to change the partitions (`exclusive`) until the transaction ends.
 * Take it before touching any table, so that writers and retention cannot deadlock.
 */
export async function lockSnapshotWrites(
  transaction: Transaction<Schema>,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(${writesKey}::bigint)`.execute(transaction);
}

function partitionOf(t: number): SnapshotPartition {
  const date = new Date(t * 1_000);
  return partitionOfMonth(date.getUTCFullYear(), date.getUTCMonth());
}

function partitionOfMonth(year: number, month: number): SnapshotPartition {
  const from = new Date(Date.UTC(year, month));
  return {
    name: `vault_snapshot_${from.toISOString().slice(0, 7).replace('-', '_')}`,
    from: from.getTime() / 1_000,
    until: Date.UTC(year, month + 1) / 1_000,
  };
}

/** As text of the statement: bounds of partitions take no parameters. */
const timestamp = (seconds: number) => sql.lit(new Date(seconds * 1_000).toISOString());
