import type { DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';
import { inChunks } from '../batching.js';
import type { ContractFacts, ContractFactsStore } from '../ports.js';
import { anyOf, readInChunks, recordset, rowsPerStatement, toDate, toSeconds } from './sql-values.js';

/** Keep the newest reading of each vault's contracts in the database. */
export function createDatabaseContractFactsStore({ db }: Pick<DatabaseHandle, 'db'>): ContractFactsStore {
  return {
    read: async (vaults) => {
      const rows = await readInChunks(vaults, (part) =>
        db.selectFrom('vault_governance').selectAll().where('vault_id', '=', anyOf(part)).execute(),
      );
      return rows.map(({ vault_id: vault, checked_at, facts }) => ({
        ...(facts as Omit<ContractFacts, 'vault' | 'checkedAt'>),
        vault,
        checkedAt: toSeconds(checked_at),
      }));
    },

    save: async (all) => {
      for await (const part of inChunks(all, rowsPerStatement)) {
        const rows = part.map(({ vault, checkedAt, ...facts }) => ({
          vault_id: vault,
          checked_at: toDate(checkedAt),
          facts,
        }));
        await sql`
          insert into vault_governance (vault_id, checked_at, facts)
          select vault_id, checked_at, facts
          from ${recordset(rows, 'vault_id integer, checked_at timestamptz, facts jsonb')}
          on conflict (vault_id) do update set checked_at = excluded.checked_at, facts = excluded.facts
          where excluded.checked_at >= vault_governance.checked_at`.execute(db);
      }
    },
  };
}
