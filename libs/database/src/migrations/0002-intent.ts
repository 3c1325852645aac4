import { sql, type Kysely } from 'kysely';

/** The intent ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('intent')
    .addColumn('intent_id', 'text', (column) => column.primaryKey())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('wallet', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) =>
      column
        .notNull()
        .check(
          sql`state in ('reserved', 'simulated', 'submitted', 'included', 'confirmed', 'failed', 'expired', 'cancelled')`,
        ),
    )
    .addColumn('user_op_hash', 'text', (column) => column.notNull())
    .addColumn('nonce', 'numeric(78, 0)', (column) => column.notNull())
    .addColumn('expiry', 'bigint', (column) => column.notNull())
    .addColumn('user_operation', 'jsonb', (column) => column.notNull())
    .addColumn('submitted_block', 'bigint')
    .addColumn('tx_hash', 'text')
    .addColumn('block_number', 'bigint')
    .addColumn('gas_used', 'numeric(78, 0)')
    .addColumn('success', 'boolean')
    .addColumn('failure', 'jsonb')
    .addColumn('response', 'jsonb')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute();

  // What the sweeper looks for: few rows at any time, whatever the size of the ledger.
  await db.schema
    .createIndex('intent_unsettled')
    .on('intent')
    .column('lease_until')
    .where(sql.ref('state'), 'in', sql`('reserved', 'simulated', 'submitted', 'included')`)
    .execute();

  await db.schema
    .createIndex('intent_wallet')
    .on('intent')
    .columns(['chain_id', 'wallet', 'created_at'])
    .execute();
}
