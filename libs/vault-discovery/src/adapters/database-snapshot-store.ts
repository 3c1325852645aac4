import type { DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';
import { hourSeconds } from '../metrics/statistics.js';
import type { Coverage, PriceSource, Snapshot, SnapshotOrigin, SnapshotStore } from '../ports.js';

const toDate = (seconds: number): Date => new Date(seconds * 1_000);
const toSeconds = (date: Date): number => date.getTime() / 1_000;

/** Keep snapshots in the database. */
export function createDatabaseSnapshotStore({ db }: Pick<DatabaseHandle, 'db'>): SnapshotStore {
  return {
    register: async (vaults) => {
      if (vaults.length === 0) return new Map();
      await db
        .insertInto('vault')
        .values(
          vaults.map(({ vaultId, chainId, address }) => ({
            vault_id: vaultId,
            chain_id: chainId,
            address: address.toLowerCase(),
          })),
        )
        .onConflict((conflict) => conflict.column('vault_id').doNothing())
        .execute();
      const rows = await db
        .selectFrom('vault')
        .select(['id', 'vault_id'])
        .where(
          'vault_id',
          'in',
          vaults.map(({ vaultId }) => vaultId),
        )
        .execute();
      return new Map(rows.map((row) => [row.vault_id, row.id]));
    },

    coverage: async (vaults) => {
      if (vaults.length === 0) return [];
      const rows = await db
        .selectFrom('sampling_checkpoint')
        .selectAll()
        .where('vault_id', 'in', vaults)
        .execute();
      return rows.map((row) => ({
        vault: row.vault_id,
        from: toSeconds(row.covered_from),
        until: toSeconds(row.covered_until),
      }));
    },

    save: async (snapshots, coverage) => {
      await db.transaction().execute(async (transaction) => {
        if (snapshots.length > 0)
          await transaction
            .insertInto('vault_snapshot')
            .columns(snapshotColumns)
            .expression(rowsOf(snapshots))
            .onConflict((conflict) =>
              conflict
                .columns(['vault_id', 'hour'])
                .doUpdateSet((row) => ({
                  t: row.ref('excluded.t'),
                  block: row.ref('excluded.block'),
                  share_price: row.ref('excluded.share_price'),
                  total_assets: row.ref('excluded.total_assets'),
                  total_supply: row.ref('excluded.total_supply'),
                  price_usd: row.ref('excluded.price_usd'),
                  source: row.ref('excluded.source'),
                  origin: row.ref('excluded.origin'),
                }))
                .whereRef('excluded.t', '>=', 'vault_snapshot.t'),
            )
            .execute();
        if (coverage.length > 0)
          await transaction
            .insertInto('sampling_checkpoint')
            .values([...coverage].sort((a, b) => a.vault - b.vault).map(toCheckpoint))
            .onConflict((conflict) =>
              conflict.column('vault_id').doUpdateSet((row) => ({
                covered_from: row.ref('excluded.covered_from'),
                covered_until: row.ref('excluded.covered_until'),
              })),
            )
            .execute();
      });
    },

    read: async (vaults, since) => {
      if (vaults.length === 0) return [];
      const rows = await db
        .selectFrom('vault_snapshot')
        .selectAll()
        .where('vault_id', 'in', vaults)
        .where('hour', '>=', toDate(since - (since % hourSeconds)))
        .orderBy('vault_id')
        .orderBy('hour')
        .execute();
      return rows
        .map((row) => ({
          vault: row.vault_id,
          t: toSeconds(row.t),
          block: row.block,
          sharePrice: BigInt(row.share_price),
          totalAssets: BigInt(row.total_assets),
          totalSupply: BigInt(row.total_supply),
          priceUsd: row.price_usd,
          priceSource: row.source as PriceSource,
          origin: row.origin as SnapshotOrigin,
        }))
        .filter((snapshot) => snapshot.t >= since);
    },

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
      await db.transaction().execute(async (transaction) => {
        const ofChain = transaction.selectFrom('vault').select('id').where('chain_id', '=', BigInt(chainId));
        await transaction.deleteFrom('vault_snapshot').where('vault_id', 'in', ofChain).execute();
        await transaction.deleteFrom('sampling_checkpoint').where('vault_id', 'in', ofChain).execute();
        await transaction.deleteFrom('sampling_anchor').where('chain_id', '=', BigInt(chainId)).execute();
      });
    },
  };
}

const snapshotColumns = [
  'vault_id',
  'hour',
  't',
  'block',
  'share_price',
  'total_assets',
  'total_supply',
  'price_usd',
  'source',
  'origin',
] as const;

/**
 * All rows as one parameter: the embedded database takes three times as long over one for each value. Always in
 * the same order, since two samplers that write the same hours would otherwise wait for each other.
 */
const rowsOf = (snapshots: readonly Snapshot[]) => sql<never>`
  select * from json_to_recordset(${JSON.stringify(snapshots.map(toRow))}::json) as snapshot (
    vault_id integer, hour timestamptz, t timestamptz, block bigint, share_price numeric, total_assets numeric,
    total_supply numeric, price_usd double precision, source smallint, origin smallint
  )
  order by vault_id, hour`;

function toRow(snapshot: Snapshot) {
  return {
    vault_id: snapshot.vault,
    hour: toDate(snapshot.t - (snapshot.t % hourSeconds)),
    t: toDate(snapshot.t),
    block: snapshot.block.toString(),
    share_price: snapshot.sharePrice.toString(),
    total_assets: snapshot.totalAssets.toString(),
    total_supply: snapshot.totalSupply.toString(),
    price_usd: snapshot.priceUsd,
    source: snapshot.priceSource,
    origin: snapshot.origin,
  };
}

function toCheckpoint({ vault, from, until }: Coverage) {
  return { vault_id: vault, covered_from: toDate(from), covered_until: toDate(until) };
}
