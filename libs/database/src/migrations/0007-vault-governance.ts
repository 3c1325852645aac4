import { sql, type Kysely } from 'kysely';

/** Add what the contracts of a vault say about its governance, fees and markets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table vault_governance (
    vault_id integer primary key references vault (id),
    checked_at timestamptz not null,
    facts jsonb not null
  )`.execute(db);
}
