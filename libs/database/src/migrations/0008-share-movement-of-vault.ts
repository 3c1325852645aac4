import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const index = db.schema.createIndex('share_movement_of_vault').on('share_movement');
  await index.columns(['chain_id', 'vault', 'block']).execute();
}
