import type { DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';
import type { BrokenReadStore } from '../ports.js';
import { inChunks, readInChunks } from './in-chunks.js';
import { anyOf, recordset, toDate, toSeconds } from './sql-values.js';

const rowsPerStatement = 500;

/** Remember in the database which reads do not work. */
export function createDatabaseBrokenReadStore({ db }: Pick<DatabaseHandle, 'db'>): BrokenReadStore {
  return {
    read: async (vaults) => {
      const rows = await readInChunks(vaults, (part) =>
        db.selectFrom('broken_read').selectAll().where('vault_id', '=', anyOf(part)).execute(),
      );
      return rows.map((row) => ({
        vault: row.vault_id,
        functionName: row.function_name,
        sinceBlock: row.since_block,
        retryAt: toSeconds(row.retry_at),
      }));
    },

    save: async (broken) => {
      for await (const part of inChunks(broken, rowsPerStatement)) {
        const rows = part.map(({ vault, functionName, sinceBlock, retryAt }) => ({
          vault_id: vault,
          function_name: functionName,
          since_block: sinceBlock.toString(),
          retry_at: toDate(retryAt),
        }));
        await sql`
          insert into broken_read (vault_id, function_name, since_block, retry_at)
          select distinct on (vault_id, function_name) vault_id, function_name, since_block, retry_at
          from ${recordset(rows, 'vault_id integer, function_name text, since_block bigint, retry_at timestamptz')}
          order by vault_id, function_name, retry_at desc
          on conflict (vault_id, function_name) do update set
            since_block = excluded.since_block, retry_at = excluded.retry_at`.execute(db);
      }
    },

    clear: async (mended) => {
      for await (const part of inChunks(mended, rowsPerStatement)) {
        const rows = part.map(({ vault, functionName }) => ({
          vault_id: vault,
          function_name: functionName,
        }));
        await sql`
          delete from broken_read using ${recordset(rows, 'vault_id integer, function_name text')}
          where broken_read.vault_id = row.vault_id
            and broken_read.function_name = row.function_name`.execute(db);
      }
    },
  };
}
