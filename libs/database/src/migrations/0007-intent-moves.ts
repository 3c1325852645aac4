import { sql, type Kysely } from 'kysely';

/** What an intent does at its vaults is kept with it; what nothing reads is not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('intent_wallet').execute();
  await sql`
    alter table intent
      add column moves jsonb,
      drop column block_number,
      drop column gas_used,
      drop column success`.execute(db);
}
