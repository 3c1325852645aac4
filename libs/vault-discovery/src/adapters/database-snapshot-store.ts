import { lockSnapshotWrites, type DatabaseHandle, type Schema } from '@yield-vault/database';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import { floorHour } from '../metrics/statistics.js';
import type { Coverage, PriceSource, Snapshot, SnapshotOrigin, SnapshotStore } from '../ports.js';
import { discardChain } from './discard-chain.js';
import { inChunks, readInChunks } from './in-chunks.js';
import { readSeries } from './read-series.js';
import { createSnapshotPartitionsOf } from './snapshot-partitions.js';
import { splitSettled } from './split-settled.js';
import { anyOf, recordset, toDate, toSeconds } from './sql-values.js';
import { storedMeasurements } from './stored-measurements.js';

/** The embedded database holds the event loop for as long as a statement takes. */
const rowsPerStatement = 500;
/** Rows are objects here, up to 2 208 for each vault; `readSeries` is for many. */
const vaultsPerRead = 4;

/**
 * Keep snapshots in the database.
 *
 * @example
 * const store = createDatabaseSnapshotStore(await openDatabase({ directory: '.local/database' }));
 */
export function createDatabaseSnapshotStore(database: Pick<DatabaseHandle, 'db'>): SnapshotStore {
  const { db } = database;
  const partitions = createSnapshotPartitionsOf(database);

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

    save: (snapshots, coverage) =>
      partitions.provide(snapshots, () =>
        db.transaction().execute(async (transaction) => {
          await lockSnapshotWrites(transaction, 'shared');
          const { settled, unsettled } = splitSettled(snapshots, coverage);
          // Before any snapshot: whoever writes others of these hours meanwhile waits here, and then knows.
          await saveCoverage(transaction, coverage);
          await saveSnapshots(transaction, settled, settledRule);
          await saveSnapshots(transaction, unsettled, unsettledRule);
        }),
      ),

    read: async (vaults, since) => {
      const snapshots: Snapshot[] = [];
      for await (const part of inChunks(vaults, vaultsPerRead)) {
        const { rows } = await sql<MeasurementRow>`
          select vault_id, extract(epoch from t)::float8 as t, block, share_price, total_assets, total_supply,
            price_usd, source, origin
          from ${storedMeasurements(part, since)} order by vault_id, hour`.execute(db);
        for (const row of rows) snapshots.push(toSnapshot(row));
      }
      return snapshots;
    },

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

    discardChain: (chainId) => discardChain(database, chainId),
  };
}

interface MeasurementRow {
  readonly vault_id: number;
  /** Unix seconds: as a number it is read in a fraction of the time that a Date takes. */
  readonly t: number;
  readonly block: bigint;
  readonly share_price: string;
  readonly total_assets: string;
  readonly total_supply: string;
  readonly price_usd: number;
  readonly source: number;
  readonly origin: number;
}

const measurementColumns = `vault_id integer, hour timestamptz, t timestamptz, block bigint, share_price numeric,
  total_assets numeric, total_supply numeric, price_usd double precision, source smallint, origin smallint`;

interface WriteRule {
  /** Which of the rows are written at all. */
  readonly isWritten: RawBuilder<unknown>;
  /** Whether one of them replaces what stands for its hour. */
  readonly replaces: RawBuilder<unknown>;
}

/** A settled sample replaces whatever stands, but no chart replaces what the chain said. */
const settledRule: WriteRule = {
  isWritten: sql`true`,
  replaces: sql`excluded.origin <= vault_snapshot.origin`,
};

/** What counts as read stays. Else what the chain said stands over any chart; then the newest. */
const unsettledRule: WriteRule = {
  isWritten: sql`not exists (
    select from covered
    where covered.vault_id = row.vault_id and hour >= covered_from and hour < covered_until)`,
  replaces: sql`(-excluded.origin, excluded.t) >= (-vault_snapshot.origin, vault_snapshot.t)`,
};

/** Always in the same order: two samplers that write the same hours would otherwise wait for each other. */
async function saveSnapshots(
  transaction: Transaction<Schema>,
  snapshots: readonly Snapshot[],
  { isWritten, replaces }: WriteRule,
): Promise<void> {
  const ordered = [...snapshots].sort((a, b) => floorHour(a.t) - floorHour(b.t) || a.vault - b.vault);
  for await (const part of inChunks(ordered, rowsPerStatement))
    await sql`
      with covered as (
        select vault_id, covered_from, covered_until from sampling_checkpoint
        where vault_id = ${anyOf([...new Set(part.map(({ vault }) => vault))])}
        order by vault_id for share)
      insert into vault_snapshot
        (vault_id, hour, t, block, share_price, total_assets, total_supply, price_usd, source, origin)
      select distinct on (hour, vault_id)
        vault_id, hour, t, block, share_price, total_assets, total_supply, price_usd, source, origin
      from ${recordset(part.map(toRow), measurementColumns)}
      where ${isWritten}
      order by hour, vault_id, origin, t desc
      on conflict (vault_id, hour) do update set
        t = excluded.t, block = excluded.block, share_price = excluded.share_price,
        total_assets = excluded.total_assets, total_supply = excluded.total_supply,
        price_usd = excluded.price_usd, source = excluded.source, origin = excluded.origin
      where ${replaces}`.execute(transaction);
}

/** Of a writer that was suspended meanwhile, too, all of it is true: what touches is joined. */
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

function toRow(snapshot: Snapshot) {
  return {
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
  };
}

const toSnapshot = (row: MeasurementRow): Snapshot => ({
  vault: row.vault_id,
  t: row.t,
  block: row.block,
  sharePrice: BigInt(row.share_price),
  totalAssets: BigInt(row.total_assets),
  totalSupply: BigInt(row.total_supply),
  priceUsd: row.price_usd,
  priceSource: row.source as PriceSource,
  origin: row.origin as SnapshotOrigin,
});
