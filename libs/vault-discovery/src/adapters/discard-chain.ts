import { lockSnapshotWrites, type DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';

/** Forget everything that was read from a chain, and what was computed from it. Vaults keep their ids. */
export async function discardChain({ db }: Pick<DatabaseHandle, 'db'>, chainId: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockSnapshotWrites(transaction, 'shared');
    const ofChain = transaction.selectFrom('vault').select('id').where('chain_id', '=', BigInt(chainId));
    for (const table of [
      // Before the snapshots, as those who save do: they would wait for each other.
      'sampling_checkpoint',
      'vault_snapshot',
      'vault_snapshot_daily',
      'broken_read',
      'vault_capability',
    ] as const)
      await transaction.deleteFrom(table).where('vault_id', 'in', ofChain).execute();
    await transaction.deleteFrom('sampling_anchor').where('chain_id', '=', BigInt(chainId)).execute();
    await transaction.deleteFrom('dropped_vault').where('chain_id', '=', BigInt(chainId)).execute();
    await transaction.deleteFrom('vault_report').where('chain_id', '=', BigInt(chainId)).execute();
    // The row stays: versions go on growing, so that whoever followed the old chain notices.
    await transaction
      .updateTable('chain_report')
      .set({
        version: sql`version + 1`,
        replaced_at: sql`version + 1`,
        newest_snapshot: null,
      })
      .where('chain_id', '=', BigInt(chainId))
      .execute();
  });
}
