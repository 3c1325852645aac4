import type { DatabaseHandle, Schema } from '@yield-vault/database';
import type { VaultSummary } from '@yield-vault/protocol';
import { sql, type Transaction } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import type { DroppedRecord, ReportStore, StoredReport, SummaryRow } from '../ports.js';
import { inChunks } from './in-chunks.js';
import { anyOf, recordset, toDate, toSeconds } from './sql-values.js';

// Reports are some 4 KB of JSON each: a statement is made, and a page parsed, within a few milliseconds.
const reportsPerStatement = 50;
const droppedPerStatement = 500;
const summariesPerPage = 250;

/** Carry computed numbers through the database, from the process that computes to those that serve. */
export function createDatabaseReportStore({ db }: Pick<DatabaseHandle, 'db'>): ReportStore {
  return {
    save: (chainId, newestSnapshot, reports, dropped) =>
      db.transaction().execute(async (transaction) => {
        // First of all: its row makes savers of a chain wait for each other, so that versions appear in order.
        const { version } = await transaction
          .insertInto('chain_report')
          .values({
            chain_id: chainId,
            version: 1n,
            replaced_at: 0n,
            newest_snapshot: toDate(newestSnapshot),
          })
          .onConflict((conflict) =>
            conflict.column('chain_id').doUpdateSet((row) => ({
              version: sql`chain_report.version + 1`,
              newest_snapshot: row.ref('excluded.newest_snapshot'),
            })),
          )
          .returning('version')
          .executeTakeFirstOrThrow();
        await replaceDropped(transaction, chainId, dropped);
        await saveReports(transaction, chainId, version, reports);
        return version;
      }),

    retain: (chainId, vaults) =>
      db.transaction().execute(async (transaction) => {
        const progress = await transaction
          .selectFrom('chain_report')
          .select('version')
          .where('chain_id', '=', BigInt(chainId))
          .forUpdate()
          .executeTakeFirst();
        if (!progress) return;
        const { numDeletedRows } = await transaction
          .deleteFrom('vault_report')
          .where('chain_id', '=', BigInt(chainId))
          .where((eb) => eb.not(eb('vault_id', '=', anyOf(vaults))))
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return;
        const version = progress.version + 1n;
        await transaction
          .updateTable('chain_report')
          .set({ version, replaced_at: version })
          .where('chain_id', '=', BigInt(chainId))
          .execute();
      }),

    progress: async (chainId) => {
      const row = await db
        .selectFrom('chain_report')
        .selectAll()
        .where('chain_id', '=', BigInt(chainId))
        .executeTakeFirst();
      if (!row?.newest_snapshot) return undefined;
      return {
        version: row.version,
        newestSnapshot: toSeconds(row.newest_snapshot),
        replacedAt: row.replaced_at,
      };
    },

    changedSince: async (chainId, version) => {
      const found: SummaryRow[] = [];
      let after = { version, vault: 2 ** 31 - 1 };
      for (;;) {
        // A report that is replaced between two pages moves to a version that is still to come.
        const { rows } = await sql<ChangedRow>`
          select vault_id, version, summary, asset_price_usd from vault_report
          where chain_id = ${chainId} and (version, vault_id) > (${after.version}, ${after.vault})
          order by version, vault_id limit ${summariesPerPage}`.execute(db);
        for (const row of rows)
          found.push({ vault: row.vault_id, summary: row.summary, assetPriceUsd: row.asset_price_usd });
        const last = rows.at(-1);
        if (!last || rows.length < summariesPerPage) return found;
        after = { version: last.version, vault: last.vault_id };
        await setImmediate();
      }
    },

    report: async (vaultId) => {
      const row = await db
        .selectFrom('vault_report')
        .innerJoin('vault', 'vault.id', 'vault_report.vault_id')
        .select('report')
        .where('vault.vault_id', '=', vaultId)
        .executeTakeFirst();
      return row?.report;
    },

    dropped: async (chainId) => {
      const rows = await db
        .selectFrom('dropped_vault')
        .selectAll()
        .where('chain_id', '=', BigInt(chainId))
        .orderBy('address')
        .execute();
      return rows.map(({ address, name, reason }) => ({
        chainId,
        address: address as DroppedRecord['address'],
        name,
        reason,
      }));
    },
  };
}

interface ChangedRow {
  readonly vault_id: number;
  readonly version: bigint;
  readonly summary: VaultSummary;
  readonly asset_price_usd: number;
}

async function replaceDropped(
  transaction: Transaction<Schema>,
  chainId: number,
  dropped: readonly DroppedRecord[],
): Promise<void> {
  await transaction.deleteFrom('dropped_vault').where('chain_id', '=', BigInt(chainId)).execute();
  for await (const part of inChunks(dropped, droppedPerStatement))
    await sql`
      insert into dropped_vault (chain_id, address, name, reason)
      select ${chainId}, address, name, reason
      from ${recordset(part, 'address text, name text, reason text')}
      on conflict (chain_id, address) do nothing`.execute(transaction);
}

async function saveReports(
  transaction: Transaction<Schema>,
  chainId: number,
  version: bigint,
  reports: readonly StoredReport[],
): Promise<void> {
  for await (const part of inChunks(reports, reportsPerStatement)) {
    const rows = part.map(({ vault, summary, assetPriceUsd, report }) => ({
      vault_id: vault,
      summary,
      asset_price_usd: assetPriceUsd,
      report,
    }));
    await sql`
      insert into vault_report (vault_id, chain_id, version, summary, asset_price_usd, report)
      select vault_id, ${chainId}, ${version}, summary, asset_price_usd, report
      from ${recordset(rows, 'vault_id integer, summary json, asset_price_usd double precision, report json')}
      on conflict (vault_id) do update set
        chain_id = excluded.chain_id, version = excluded.version, summary = excluded.summary,
        asset_price_usd = excluded.asset_price_usd, report = excluded.report`.execute(transaction);
  }
}
