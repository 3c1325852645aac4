import type { DatabaseHandle, Schema } from '@yield-vault/database';
import { sql, type Transaction } from 'kysely';
import { inChunks } from '../batching.js';
import { floorHour } from '@yield-vault/vault-metrics';
import type { Coverage, Snapshot, SnapshotStore } from '../ports.js';
import { compactSnapshots } from './database-retention.js';
import { readSeries } from './read-series.js';
import { anyOf, readInChunks, recordset, rowsPerStatement, toDate, toSeconds } from './sql-values.js';

/**
 * Keep snapshots in the database.
 *
 * @example
 * const store = createDatabaseSnapshotStore(await openDatabase({ directory: '.local/database' }));
 */
export function createDatabaseSnapshotStore(database: Pick<DatabaseHandle, 'db'>): SnapshotStore {
  const { db } = database;
  return {
    register: async (vaults) => {
      const ids = new Map<string, number>();
      for await (const part of inChunks(vaults, rowsPerStatement)) {
        const wanted = part.map(({ vaultId, chainId, address }) => ({
          vault_id: vaultId,
          chain_id: chainId,
          address: address.toLowerCase(),
        }));
        await sql`
          insert into vault (vault_id, chain_id, address)
          select vault_id, chain_id, address
          from ${recordset(wanted, 'vault_id numeric, chain_id bigint, address text')} order by vault_id
          on conflict (vault_id) do nothing`.execute(db);
        const { rows } = await sql<{ id: number; vault_id: string }>`
          select id, vault_id from vault
          where vault_id = any(${part.map(({ vaultId }) => vaultId)}::numeric[])`.execute(db);
        for (const row of rows) ids.set(row.vault_id, row.id);
      }
      return ids;
    },

    coverage: async (vaults) => {
      const rows = await readInChunks(vaults, (part) =>
        db.selectFrom('sampling_checkpoint').selectAll().where('vault_id', '=', anyOf(part)).execute(),
      );
      return rows.map((row) => ({
        vault: row.vault_id,
        from: toSeconds(row.covered_from),
        until: toSeconds(row.covered_until),
      }));
    },

    save: async (snapshots, coverage) => {
      const { writeSnapshots } = await import('@yield-vault/database');
      await writeSnapshots(
        db,
        snapshots.map(({ t }) => t),
        async (transaction) => {
          await saveCoverage(transaction, coverage);
          await saveSnapshots(transaction, snapshots, coverage.length > 0);
        },
      );
    },

    compact: (olderThan) => compactSnapshots(db, olderThan),

    readSeries: (vaults, since, decimalsOf) => readSeries(database, vaults, since, decimalsOf),

    anchor: async (chainId) => {
      const row = await db
        .selectFrom('sampling_anchor')
        .selectAll()
        .where('chain_id', '=', BigInt(chainId))
        .executeTakeFirst();
      return row && { block: row.block, hash: row.block_hash as `0x${string}` };
    },

    setAnchor: async (chainId, { block, hash }) => {
      await db
        .insertInto('sampling_anchor')
        .values({ chain_id: chainId, block, block_hash: hash })
        .onConflict((conflict) => conflict.column('chain_id').doUpdateSet({ block, block_hash: hash }))
        .execute();
    },

    discardChain: async (chainId) => {
      const { lockPartitions } = await import('@yield-vault/database');
      await db.transaction().execute(async (transaction) => {
        await lockPartitions(transaction, 'vault_snapshot', 'shared');
        const ofChain = transaction.selectFrom('vault').select('id').where('chain_id', '=', BigInt(chainId));
        for (const table of [
          // In the order in which `save` writes: another order could deadlock.
          'sampling_checkpoint',
          'vault_snapshot',
          'vault_snapshot_daily',
          'vault_capability',
          'vault_exit',
        ] as const)
          await transaction.deleteFrom(table).where('vault_id', 'in', ofChain).execute();
        for (const table of ['sampling_anchor', 'rejected_vault', 'vault_report'] as const)
          await transaction.deleteFrom(table).where('chain_id', '=', BigInt(chainId)).execute();
        // The row stays, so that its version keeps growing.
        await transaction
          .updateTable('chain_report')
          .set({ version: sql`version + 1`, newest_snapshot: null })
          .where('chain_id', '=', BigInt(chainId))
          .execute();
      });
    },
  };
}

const snapshotColumns = `vault_id integer, hour timestamptz, t timestamptz, block bigint, share_price numeric,
  total_assets numeric, total_supply numeric, price_usd double precision, source smallint, origin smallint`;

/** A final snapshot replaces whatever the chain or a chart said; any other one replaces older ones. */
const replacesFinal = sql`excluded.origin <= vault_snapshot.origin`;
const replacesOlder = sql`(-excluded.origin, excluded.t) >= (-vault_snapshot.origin, vault_snapshot.t)`;

/** Rows are sorted: two samplers that write the same hours would deadlock otherwise. */
async function saveSnapshots(
  transaction: Transaction<Schema>,
  snapshots: readonly Snapshot[],
  isFinal: boolean,
): Promise<void> {
  const ordered = [...snapshots].sort((a, b) => floorHour(a.t) - floorHour(b.t) || a.vault - b.vault);
  for await (const part of inChunks(ordered, rowsPerStatement))
    await sql`
      insert into vault_snapshot
        (vault_id, hour, t, block, share_price, total_assets, total_supply, price_usd, source, origin)
      select distinct on (hour, vault_id)
        vault_id, hour, t, block, share_price, total_assets, total_supply, price_usd, source, origin
      from ${recordset(part.map(toRow), snapshotColumns)}
      order by hour, vault_id, origin, t desc
      on conflict (vault_id, hour) do update set
        t = excluded.t, block = excluded.block, share_price = excluded.share_price,
        total_assets = excluded.total_assets, total_supply = excluded.total_supply,
        price_usd = excluded.price_usd, source = excluded.source, origin = excluded.origin
      where ${isFinal ? replacesFinal : replacesOlder}`.execute(transaction);
}

/** Coverage that touches the stored one joins it, so a delayed writer takes none back. */
async function saveCoverage(transaction: Transaction<Schema>, coverage: readonly Coverage[]): Promise<void> {
  const ordered = [...coverage].sort((a, b) => a.vault - b.vault);
  for await (const part of inChunks(ordered, rowsPerStatement)) {
    const rows = part.map(({ vault, from, until }) => ({
      vault_id: vault,
      covered_from: toDate(from),
      covered_until: toDate(until),
    }));
    await sql`
      insert into sampling_checkpoint as known (vault_id, covered_from, covered_until)
      select vault_id, covered_from, covered_until
      from ${recordset(rows, 'vault_id integer, covered_from timestamptz, covered_until timestamptz')}
      order by vault_id
      on conflict (vault_id) do update set
        covered_from = case when ${touches}
          then least(known.covered_from, excluded.covered_from) else excluded.covered_from end,
        covered_until = case when ${touches}
          then greatest(known.covered_until, excluded.covered_until) else excluded.covered_until end
      `.execute(transaction);
  }
}

const touches = sql`(excluded.covered_from <= known.covered_until
  and excluded.covered_until >= known.covered_from)`;

const toRow = (snapshot: Snapshot) => ({
  vault_id: snapshot.vault,
  hour: toDate(floorHour(snapshot.t)),
  t: toDate(snapshot.t),
  block: snapshot.block.toString(),
  share_price: snapshot.sharePrice.toString(),
  total_assets: snapshot.totalAssets.toString(),
  total_supply: snapshot.totalSupply.toString(),
  price_usd: snapshot.priceUsd,
  source: snapshot.priceSource,
  origin: snapshot.origin,
});
