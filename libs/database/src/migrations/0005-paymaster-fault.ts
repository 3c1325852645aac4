import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('followed_chain').addColumn('paymaster_fault', 'text').execute();
}
