import { sql, type Kysely } from 'kysely';

/** Relayed setup transactions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('setup_submission')
    .addColumn('tx_hash', 'text', (column) => column.primaryKey())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('wallet', 'text', (column) => column.notNull())
    .addColumn('ticket_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) =>
      column.notNull().check(sql`state in ('claimed', 'submitted', 'confirmed')`),
    )
    .addColumn('response', 'jsonb')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute();
}
