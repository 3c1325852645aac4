import { sql, type Kysely } from 'kysely';

/** The payment ledger. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('payment')
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('asset', 'text', (column) => column.notNull())
    .addColumn('payer', 'text', (column) => column.notNull())
    .addColumn('nonce', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) =>
      column.notNull().check(sql`state in ('reserved', 'settling', 'settled')`),
    )
    .addColumn('tx_hash', 'text')
    .addColumn('answer_status', 'integer')
    .addColumn('answer_type', 'text')
    .addColumn('answer', 'bytea')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'timestamptz')
    .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('payment_pkey', ['chain_id', 'asset', 'payer', 'nonce'])
    .execute();

  // What the limits on payments in flight count: few rows at any time, whatever the size of the ledger.
  await db.schema
    .createIndex('payment_in_flight')
    .on('payment')
    .column('payer')
    .where(sql.ref('state'), '<>', sql`'settled'`)
    .execute();

  await db.schema.createIndex('payment_expiry').on('payment').column('expires_at').execute();
}
