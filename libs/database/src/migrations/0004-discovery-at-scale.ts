import { sql, type CreateTableBuilder, type Kysely } from 'kysely';

/** Monthly partitions and origin of snapshots, their daily remains, verdicts, computed numbers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await partitionSnapshots(db);

  await addMeasurement(
    db.schema
      .createTable('vault_snapshot_daily')
      .addColumn('vault_id', 'integer', (column) => column.notNull().references('vault.id'))
      .addColumn('day', 'timestamptz', (column) => column.notNull()),
  )
    .addPrimaryKeyConstraint('vault_snapshot_daily_pkey', ['vault_id', 'day'])
    .addCheckConstraint('vault_snapshot_daily_day', sql`t >= day and t < day + interval '1 day'`)
    .addCheckConstraint('vault_snapshot_daily_origin', sql`origin in (0, 1)`)
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
    .addColumn('verdict', 'text', (column) =>
      column
        .notNull()
        .check(
          sql`verdict in ('ok', 'deposit-closed', 'paused', 'below-minimum', 'whitelist', 'reverts', 'async')`,
        ),
    )
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
    .addColumn('newest_snapshot', 'timestamptz')
    .addColumn('replaced_at', 'bigint', (column) => column.notNull())
    .addCheckConstraint('chain_report_order', sql`replaced_at <= version`)
    .execute();

  // json, not jsonb: the text stays as it was written, so that every process serves the same bytes.
  await db.schema
    .createTable('vault_report')
    .addColumn('vault_id', 'integer', (column) => column.primaryKey().references('vault.id'))
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('summary', 'json', (column) => column.notNull())
    .addColumn('asset_price_usd', 'double precision', (column) => column.notNull())
    .addColumn('report', 'json', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('vault_report_by_version')
    .on('vault_report')
    .columns(['chain_id', 'version', 'vault_id'])
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

/**
 * Turn the plain table into one partition for each calendar month, so that a month that is kept by the day only
 * is dropped at once. There is no default partition: it would have to be scanned under a lock whenever a month is
 * added, and rows that strayed into it would keep their month from being added and would never be dropped.
 */
async function partitionSnapshots(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vault_snapshot rename to vault_snapshot_plain`.execute(db);
  await sql`alter table vault_snapshot_plain rename constraint vault_snapshot_pkey to vault_snapshot_plain_pkey`.execute(
    db,
  );
  await addMeasurement(
    db.schema
      .createTable('vault_snapshot')
      .addColumn('vault_id', 'integer', (column) => column.notNull().references('vault.id'))
      .addColumn('hour', 'timestamptz', (column) => column.notNull()),
  )
    .addPrimaryKeyConstraint('vault_snapshot_pkey', ['vault_id', 'hour'])
    .addCheckConstraint('vault_snapshot_hour', sql`t >= hour and t < hour + interval '1 hour'`)
    .addCheckConstraint('vault_snapshot_origin', sql`origin in (0, 1)`)
    .modifyEnd(sql`partition by range (hour)`)
    .execute();
  await sql`
    do $$
    declare month timestamp;
    begin
      for month in select distinct date_trunc('month', hour at time zone 'UTC') from vault_snapshot_plain loop
        execute format(
          'create table %I partition of vault_snapshot for values from (%L) to (%L)',
          to_char(month, '"vault_snapshot_"YYYY_MM'),
          month at time zone 'UTC',
          (month + interval '1 month') at time zone 'UTC'
        );
      end loop;
    end $$`.execute(db);
  await sql`
    insert into vault_snapshot (vault_id, hour, t, block, share_price, total_assets, total_supply, price_usd, source, origin)
    select vault_id, hour, t, block, share_price, total_assets, total_supply, price_usd, source, 0
    from vault_snapshot_plain`.execute(db);
  await db.schema.dropTable('vault_snapshot_plain').execute();
}

const addMeasurement = <Name extends string, Columns extends string>(
  table: CreateTableBuilder<Name, Columns>,
) =>
  table
    .addColumn('t', 'timestamptz', (column) => column.notNull())
    .addColumn('block', 'bigint', (column) => column.notNull())
    .addColumn('share_price', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('total_assets', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('total_supply', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('price_usd', 'double precision', (column) => column.notNull())
    .addColumn('source', 'smallint', (column) => column.notNull())
    .addColumn('origin', 'smallint', (column) => column.notNull());
