import { sql, type Kysely } from 'kysely';

/** Origin of snapshots, monthly partitions of them, verdicts, computed numbers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('vault_snapshot')
    .addColumn('origin', 'smallint', (column) => column.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('broken_read')
    .addColumn('vault_id', 'integer', (column) => column.notNull().references('vault.id'))
    .addColumn('function_name', 'text', (column) => column.notNull())
    .addColumn('since_block', 'bigint', (column) => column.notNull())
    .addColumn('retry_at', 'timestamptz', (column) => column.notNull())
    .addPrimaryKeyConstraint('broken_read_pkey', ['vault_id', 'function_name'])
    .execute();

  await db.schema
    .createTable('vault_capability')
    .addColumn('vault_id', 'integer', (column) => column.primaryKey().references('vault.id'))
    .addColumn('verdict', 'text', (column) => column.notNull())
    .addColumn('checked_at', 'timestamptz', (column) => column.notNull())
    .addColumn('block', 'bigint', (column) => column.notNull())
    .addColumn('failed_step', 'text', (column) => column.check(sql`failed_step in ('deposit', 'redeem')`))
    .addColumn('reason', 'text')
    .addColumn('assets_in', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('shares_out', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('assets_out', 'numeric(78, 0)', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('chain_report')
    .addColumn('chain_id', 'bigint', (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('newest_snapshot', 'timestamptz', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('vault_report')
    .addColumn('vault_id', 'integer', (column) => column.primaryKey().references('vault.id'))
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('summary', 'jsonb', (column) => column.notNull())
    .addColumn('asset_price_usd', 'double precision', (column) => column.notNull())
    .addColumn('report', 'jsonb', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('vault_report_by_version')
    .on('vault_report')
    .columns(['chain_id', 'version'])
    .execute();

  await db.schema
    .createTable('dropped_vault')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('dropped_vault_pkey', ['chain_id', 'address'])
    .execute();
}
