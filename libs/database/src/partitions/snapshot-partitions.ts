import { sql, type Kysely, type Transaction } from 'kysely';
import { advisoryKey } from '../advisory-key.js';
import type { Schema } from '../schema/schema.js';

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
 * Name the partition that a snapshot belongs to.
 *
 * @param t Unix seconds
 * @example
 * snapshotPartitionOf(1_794_960_000).name; // 'vault_snapshot_2026_11'
 */
export function snapshotPartitionOf(t: number): SnapshotPartition {
  const date = new Date(t * 1_000);
  return partitionOfMonth(date.getUTCFullYear(), date.getUTCMonth());
}

/**
 * Make partitions that are not there yet. Several processes may do so at once.
 *
 * @throws {UpstreamUnavailableError} when the database does not answer
 */
export async function createSnapshotPartitions(
  db: Kysely<Schema>,
  partitions: readonly SnapshotPartition[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // `if not exists` looks before it locks: two processes that both find nothing would both create.
    await lockSnapshotWrites(transaction, 'exclusive');
    for (const { name, from, until } of partitions)
      await sql`create table if not exists ${sql.table(name)} partition of vault_snapshot
        for values from (${timestamp(from)}) to (${timestamp(until)})`.execute(transaction);
  });
}

/** List the partitions that are there, oldest first. */
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
 * Take the right to write snapshots (`shared`) or to change the partitions (`exclusive`) until the transaction
 * ends. Taken before any table is touched, so that who writes and who drops a month wait for each other in one
 * order and nothing is written into a month while it is summed up.
 */
export async function lockSnapshotWrites(
  transaction: Transaction<Schema>,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(${writesKey}::bigint)`.execute(transaction);
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
