import { chainEventTables, openDatabase } from '@yield-vault/database';
import { sql } from 'kysely';
import { createDatabaseSnapshotStore } from '@yield-vault/vault-discovery';
import { type CliIo, CommandFailure } from './io.js';

export interface DiscardOptions {
  /** URL of the PostgreSQL database. */
  readonly database: string;
  /** Must repeat the chain id. */
  readonly confirm?: number;
}

/** Delete the market data and the stored events of a chain, after the operator confirmed it. Intents and payments stay. */
export async function discardChain(
  chainId: number,
  { database: url, confirm }: DiscardOptions,
  io: CliIo,
): Promise<void> {
  const database = await openDatabase({ url });
  try {
    const store = createDatabaseSnapshotStore(database);
    const { rows } = await sql<{ vaults: bigint; hours: bigint; days: bigint }>`
      select (select count(*) from vault where chain_id = ${chainId}) as vaults,
        (select count(*) from vault_snapshot where vault_id in (select id from vault where chain_id = ${chainId})) as hours,
        (select count(*) from vault_snapshot_daily where vault_id in (select id from vault where chain_id = ${chainId})) as days
      `.execute(database.db);
    const { vaults, hours, days } = rows[0]!;
    const anchor = await store.anchor(chainId);
    io.out(
      `chain ${chainId}: ${vaults} vaults, ${hours} hourly and ${days} daily snapshots` +
        (anchor ? `, sampled up to block ${anchor.block} (${anchor.hash})` : ''),
    );
    if (vaults === 0n) throw new CommandFailure(`the database has no vault of chain ${chainId}`);
    if (confirm !== chainId)
      throw new CommandFailure(`nothing was deleted; add --confirm ${chainId} to delete all of it for ever`);
    await store.discardChain(chainId);
    await database.db.transaction().execute(async (transaction) => {
      for (const table of chainEventTables)
        await transaction.deleteFrom(table).where('chain_id', '=', BigInt(chainId)).execute();
    });
    io.note(`deleted the data of chain ${chainId}; the worker reads it from the start`);
  } finally {
    await database.close();
  }
}
