import type { DatabaseHandle, Schema } from '@yield-vault/database';
import { sql, type Transaction } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import { inChunks } from '../batching.js';
import type { RejectedRecord, ReportStore, StoredReport, SummaryRow } from '../ports.js';
import { recordset, toDate, toSeconds } from './sql-values.js';

// A report is about 4 KB of JSON: a statement is encoded, and a page parsed, within a few milliseconds.
const reportsPerStatement = 50;
const rejectedPerStatement = 500;
const summariesPerPage = 250;

/** Carry computed numbers through the database, from the sampler to the processes that serve them. */
export function createDatabaseReportStore({ db }: Pick<DatabaseHandle, 'db'>): ReportStore {
  return {
    save: (chainId, newestSnapshot, reports, rejected) =>
      db.transaction().execute(async (transaction) => {
        // First, because its row lock makes concurrent saves of a chain wait for each other.
        const { version } = await transaction
          .insertInto('chain_report')
          .values({ chain_id: chainId, version: 1n, newest_snapshot: toDate(newestSnapshot) })
          .onConflict((conflict) =>
            conflict.column('chain_id').doUpdateSet((row) => ({
              version: sql`chain_report.version + 1`,
              newest_snapshot: row.ref('excluded.newest_snapshot'),
            })),
          )
          .returning('version')
          .executeTakeFirstOrThrow();
        await replaceRejected(transaction, chainId, rejected);
        await saveReports(transaction, chainId, version, reports);
        await transaction
          .deleteFrom('vault_report')
          .where('chain_id', '=', BigInt(chainId))
          .where('version', '<', version)
          .execute();
        return version;
      }),

    progress: async (chainId) => {
      const row = await db
        .selectFrom('chain_report')
        .selectAll()
        .where('chain_id', '=', BigInt(chainId))
        .executeTakeFirst();
      if (!row?.newest_snapshot) return undefined;
      return { version: row.version, newestSnapshot: toSeconds(row.newest_snapshot) };
    },

    summaries: async (chainId) => {
      const found: SummaryRow[] = [];
      for (;;) {
        const rows = await db
          .selectFrom('vault_report')
          .select([
            'vault_id as vault',
            'summary',
            'asset_price_usd as assetPriceUsd',
            'deposit_gas',
            'redeem_gas',
          ])
          .where('chain_id', '=', BigInt(chainId))
          .where('vault_id', '>', found.at(-1)?.vault ?? -1)
          .orderBy('vault_id')
          .limit(summariesPerPage)
          .execute();
        for (const { deposit_gas: deposit, redeem_gas: redeem, ...row } of rows)
          found.push({ ...row, gas: { deposit, redeem } });
        if (rows.length < summariesPerPage) return found;
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

    rejected: async (chainId) => {
      const rows = await db
        .selectFrom('rejected_vault')
        .selectAll()
        .where('chain_id', '=', BigInt(chainId))
        .orderBy('address')
        .execute();
      return rows.map(({ address, name, reason }) => ({
        chainId,
        address: address as RejectedRecord['address'],
        name,
        reason,
      }));
    },
  };
}

async function replaceRejected(
  transaction: Transaction<Schema>,
  chainId: number,
  rejected: readonly RejectedRecord[],
): Promise<void> {
  await transaction.deleteFrom('rejected_vault').where('chain_id', '=', BigInt(chainId)).execute();
  for await (const part of inChunks(rejected, rejectedPerStatement))
    await sql`
      insert into rejected_vault (chain_id, address, name, reason)
      select ${chainId}, address, name, reason
      from ${recordset(part, 'address text, name text, reason text')}
      on conflict (chain_id, address) do nothing`.execute(transaction);
}

const reportColumns = `vault_id integer, summary json, asset_price_usd double precision, deposit_gas integer,
  redeem_gas integer, report json`;

async function saveReports(
  transaction: Transaction<Schema>,
  chainId: number,
  version: bigint,
  reports: readonly StoredReport[],
): Promise<void> {
  for await (const part of inChunks(reports, reportsPerStatement)) {
    const rows = part.map(({ vault, summary, assetPriceUsd, gas, report }) => ({
      vault_id: vault,
      summary,
      asset_price_usd: assetPriceUsd,
      deposit_gas: gas.deposit,
      redeem_gas: gas.redeem,
      report,
    }));
    await sql`
      insert into vault_report
        (vault_id, chain_id, version, summary, asset_price_usd, deposit_gas, redeem_gas, report)
      select vault_id, ${chainId}, ${version}, summary, asset_price_usd, deposit_gas, redeem_gas, report
      from ${recordset(rows, reportColumns)}
      on conflict (vault_id) do update set
        chain_id = excluded.chain_id, version = excluded.version, summary = excluded.summary,
        asset_price_usd = excluded.asset_price_usd, deposit_gas = excluded.deposit_gas,
        redeem_gas = excluded.redeem_gas, report = excluded.report`.execute(transaction);
  }
}
