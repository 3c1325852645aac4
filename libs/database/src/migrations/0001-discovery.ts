import { sql, type Kysely } from 'kysely';

/**
 * Catalogue, hourly snapshots and how far they reach.
 *
 * The snapshots are one plain table: its key is the order of every read, and the default catalogue makes 1.3
 * million rows in 400 days. Monthly partitions pay when whole months are dropped; they come with retention.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('vault')
    .addColumn('id', 'integer', (column) => column.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('vault_id', 'numeric(20, 0)', (column) => column.notNull().unique())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull().check(sql`address = lower(address)`))
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addUniqueConstraint('vault_chain_address', ['chain_id', 'address'])
    .execute();

  await db.schema
    .createTable('vault_snapshot')
    .addColumn('vault_id', 'integer', (column) => column.notNull().references('vault.id'))
    .addColumn('hour', 'timestamptz', (column) => column.notNull())
    .addColumn('t', 'timestamptz', (column) => column.notNull())
    .addColumn('block', 'bigint', (column) => column.notNull())
    .addColumn('share_price', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('total_assets', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('total_supply', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('price_usd', 'double precision', (column) => column.notNull())
    .addColumn('source', 'smallint', (column) => column.notNull())
    .addPrimaryKeyConstraint('vault_snapshot_pkey', ['vault_id', 'hour'])
    .addCheckConstraint('vault_snapshot_hour', sql`t >= hour and t < hour + interval '1 hour'`)
    .execute();

  await db.schema
    .createTable('sampling_checkpoint')
    .addColumn('vault_id', 'integer', (column) => column.primaryKey().references('vault.id'))
    .addColumn('covered_from', 'timestamptz', (column) => column.notNull())
    .addColumn('covered_until', 'timestamptz', (column) => column.notNull())
    .addCheckConstraint('sampling_checkpoint_order', sql`covered_from <= covered_until`)
    .execute();

  await db.schema
    .createTable('sampling_anchor')
    .addColumn('chain_id', 'bigint', (column) => column.primaryKey())
    .addColumn('block', 'bigint', (column) => column.notNull())
    .addColumn('block_hash', 'text', (column) => column.notNull())
    .execute();
}
