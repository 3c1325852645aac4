import type { DatabaseHandle } from '@yield-vault/database';
import type { CapabilityResult } from '@yield-vault/protocol';
import { sql } from 'kysely';
import { inChunks } from '../batching.js';
import type { Capability, CapabilityStore } from '../ports.js';
import { anyOf, readInChunks, recordset, rowsPerStatement, toDate, toSeconds } from './sql-values.js';

const columns = `vault_id integer, result text, checked_at timestamptz, block bigint, failed_step text, reason text,
  assets_in numeric, shares_out numeric, assets_out numeric, deposit_gas integer, redeem_gas integer`;
const names =
  sql.raw(`vault_id, result, checked_at, block, failed_step, reason, assets_in, shares_out, assets_out,
  deposit_gas, redeem_gas`);

/** Keep the newest simulation result of each vault in the database. */
export function createDatabaseCapabilityStore({ db }: Pick<DatabaseHandle, 'db'>): CapabilityStore {
  return {
    read: async (vaults) => {
      const rows = await readInChunks(vaults, (part) =>
        db.selectFrom('vault_capability').selectAll().where('vault_id', '=', anyOf(part)).execute(),
      );
      return rows.map((row) => ({
        vault: row.vault_id,
        result: row.result as CapabilityResult,
        checkedAt: toSeconds(row.checked_at),
        block: row.block,
        failedStep: row.failed_step as Capability['failedStep'],
        reason: row.reason,
        assetsIn: BigInt(row.assets_in),
        sharesOut: BigInt(row.shares_out),
        assetsOut: BigInt(row.assets_out),
        depositGas: row.deposit_gas,
        redeemGas: row.redeem_gas,
      }));
    },

    save: async (capabilities) => {
      for await (const part of inChunks(capabilities, rowsPerStatement))
        await sql`
          insert into vault_capability (${names})
          select distinct on (vault_id) ${names}
          from ${recordset(part.map(toRow), columns)}
          order by vault_id, checked_at desc
          on conflict (vault_id) do update set
            result = excluded.result, checked_at = excluded.checked_at, block = excluded.block,
            failed_step = excluded.failed_step, reason = excluded.reason, assets_in = excluded.assets_in,
            shares_out = excluded.shares_out, assets_out = excluded.assets_out,
            deposit_gas = excluded.deposit_gas, redeem_gas = excluded.redeem_gas
          where excluded.checked_at >= vault_capability.checked_at`.execute(db);
    },
  };
}

function toRow(capability: Capability) {
  return {
    vault_id: capability.vault,
    result: capability.result,
    checked_at: toDate(capability.checkedAt),
    block: capability.block.toString(),
    failed_step: capability.failedStep,
    reason: capability.reason,
    assets_in: capability.assetsIn.toString(),
    shares_out: capability.sharesOut.toString(),
    assets_out: capability.assetsOut.toString(),
    deposit_gas: capability.depositGas,
    redeem_gas: capability.redeemGas,
  };
}
