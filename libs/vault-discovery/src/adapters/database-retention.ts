import type { MonthPartition, DatabaseHandle, Schema } from '@yield-vault/database';
import { sql, type Transaction } from 'kysely';

/** A month of this many vaults is 744,000 rows: well within the deadline of a statement. */
const vaultsPerStatement = 1_000;

/**
 * Keep the last snapshot of each day of old months, and drop their hours. Each month has its own transaction, so a killed
 * run continues with the next call. Late rows of a dropped month join its days at the next call.
 */
export async function compactSnapshots(db: DatabaseHandle['db'], olderThan: number): Promise<number> {
  const { listPartitions } = await import('@yield-vault/database');
  let removed = 0n;
  for (const partition of await listPartitions(db, 'vault_snapshot'))
    if (partition.until <= olderThan)
      removed += await db.transaction().execute((transaction) => compactMonth(transaction, partition));
  return Number(removed);
}

async function compactMonth(transaction: Transaction<Schema>, { name }: MonthPartition): Promise<bigint> {
  const { lockPartitions } = await import('@yield-vault/database');
  await lockPartitions(transaction, 'vault_snapshot', 'exclusive');
  const month = sql.table(name);
  const { rows: found } = await sql<{ is_there: boolean }>`
    select to_regclass(${name}) is not null as is_there`.execute(transaction);
  // Another process dropped it.
  if (!found[0]?.is_there) return 0n;
  const { rows } = await sql<{ count: bigint; last: number | null }>`
    select count(*) as count, max(vault_id) as last from ${month}`.execute(transaction);
  const { count = 0n, last = null } = rows[0] ?? {};
  for (let from = 0; from <= (last ?? -1); from += vaultsPerStatement)
    await sql`
      insert into vault_snapshot_daily
        (vault_id, day, t, block, share_price, total_assets, total_supply, price_usd, source, origin)
      select distinct on (vault_id, day)
        vault_id, date_trunc('day', hour, 'UTC') as day,
        t, block, share_price, total_assets, total_supply, price_usd, source, origin
      from ${month} where vault_id >= ${from} and vault_id < ${from + vaultsPerStatement}
      order by vault_id, day, hour desc
      on conflict (vault_id, day) do update set
        t = excluded.t, block = excluded.block, share_price = excluded.share_price,
        total_assets = excluded.total_assets, total_supply = excluded.total_supply,
        price_usd = excluded.price_usd, source = excluded.source, origin = excluded.origin
      where (date_trunc('hour', excluded.t, 'UTC'), -excluded.origin, excluded.t)
        >= (date_trunc('hour', vault_snapshot_daily.t, 'UTC'), -vault_snapshot_daily.origin, vault_snapshot_daily.t)
      `.execute(transaction);
  await sql`drop table ${month}`.execute(transaction);
  return count;
}
