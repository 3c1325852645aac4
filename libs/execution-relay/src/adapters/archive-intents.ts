import type { DatabaseHandle, Schema } from '@yield-vault/database';
import { sql, type Transaction } from 'kysely';
import { archivedAfterSeconds, recordColumns } from './intent-archive.js';

const batchSize = 1_000;

export interface ArchiveOptions {
  /** How long an intent is kept after its expiry, at least; whole months are dropped. */
  readonly days: number;
  /** Ends the run between two batches. */
  readonly signal?: AbortSignal;
}

/**
 * Move intents that are final, and whose expiry and last change are a day old, from the ledger to its archive. Then drop
 * the months of the archive that are over for longer than `days`. Several processes may do so at once.
 *
 * @throws {UpstreamUnavailableError} when the database does not respond
 */
export async function archiveIntents(
  { db }: Pick<DatabaseHandle, 'db'>,
  { days, signal }: ArchiveOptions,
): Promise<void> {
  const keptFrom = startOfMonth(Date.now() - days * 86_400_000);
  let moved = batchSize;
  while (moved === batchSize && !signal?.aborted)
    moved = await db.transaction().execute((transaction) => moveBatch(transaction, keptFrom));

  const { listPartitions, lockPartitions } = await import('@yield-vault/database');
  for (const { name, until } of await listPartitions(db, 'intent_archive'))
    if (until <= keptFrom)
      await db.transaction().execute(async (transaction) => {
        await lockPartitions(transaction, 'intent_archive', 'exclusive');
        await sql`drop table if exists ${sql.table(name)}`.execute(transaction);
      });
}

/**
 * Move the intents that changed longest ago, with their duplicates.
 *
 * @param keptFrom - intents that expired before are deleted; Unix seconds
 * @returns how many intents
 */
async function moveBatch(transaction: Transaction<Schema>, keptFrom: number): Promise<number> {
  const dayAgo = sql`extract(epoch from now()) - ${archivedAfterSeconds}`;
  // A caller of a younger duplicate looks for it in the ledger alone.
  const { rows: batch } = await sql<{ intent_id: string }>`
    select intent_id from intent
    where state in ('confirmed', 'failed', 'expired') and expiry < ${dayAgo}
      and updated_at < now() - ${archivedAfterSeconds} * interval '1 second'
      and not exists (
        select from intent_duplicate where duplicate_of = intent.intent_id and intent_duplicate.expiry >= ${dayAgo}
      )
    order by updated_at limit ${batchSize} for update skip locked`.execute(transaction);
  if (batch.length === 0) return 0;
  const ids = sql`any(${batch.map((row) => row.intent_id)}::text[])`;

  // Another statement, so it sees each duplicate that was committed before the lock. A reservation locks the row first,
  // so none is added now.
  const moving = sql`
    select ${recordColumns()}, null as duplicate_of from intent where intent_id = ${ids} and expiry >= ${keptFrom}
    union all
    select ${recordColumns('submitted', 'own')}, own.duplicate_of from intent_duplicate own
      join intent submitted on submitted.intent_id = own.duplicate_of
    where own.duplicate_of = ${ids} and own.expiry >= ${keptFrom}
      and not exists (select from intent where intent.intent_id = own.intent_id)`;
  const { rows } = await sql<{ expiry: bigint }>`select distinct expiry from (${moving}) as moving`.execute(
    transaction,
  );
  const { createPartitions } = await import('@yield-vault/database');
  await createPartitions(
    transaction,
    'intent_archive',
    rows.map(({ expiry }) => Number(expiry)),
  );
  // An intent is there already if a process of version 0.1.0, which knows no archive, executed it again.
  await sql`
    insert into intent_archive (${recordColumns()}, duplicate_of) ${moving}
    on conflict (expiry, intent_id) do update set
      state = excluded.state, submitted_block = excluded.submitted_block, moves = excluded.moves,
      tx_hash = excluded.tx_hash, failure = excluded.failure, response = excluded.response,
      duplicate_of = excluded.duplicate_of, created_at = excluded.created_at, updated_at = excluded.updated_at
    where intent_archive.user_op_hash = excluded.user_op_hash`.execute(transaction);
  await sql`delete from intent where intent_id = ${ids}`.execute(transaction);
  return batch.length;
}

function startOfMonth(milliseconds: number): number {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}
