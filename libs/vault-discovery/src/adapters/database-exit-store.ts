import type { DatabaseHandle, Schema } from '@yield-vault/database';
import type { ExitMethod } from '@yield-vault/protocol';
import { daySeconds, floorHour } from '@yield-vault/vault-metrics';
import { sql, type Transaction } from 'kysely';
import { inChunks } from '../batching.js';
import type { ExitSample, ExitState, ExitStore } from '../ports.js';
import { anyOf, recordset, rowsPerStatement, toDate } from './sql-values.js';

const keptSeconds = 30 * daySeconds;
/** 30 days of these vaults are 14,400 rows. PGlite holds the event loop for as long as a statement takes. */
const vaultsPerRead = 20;
const columns = `vault_id integer, hour timestamptz, checked_at timestamptz, method text, instant numeric,
  total_assets numeric, exit_bps smallint, accrues boolean, curve jsonb`;
const names = sql.raw('vault_id, hour, checked_at, method, instant, total_assets, exit_bps, accrues, curve');

interface StateRow {
  readonly vault_id: number;
  /** The newest two, newest first. Numerics are text. */
  readonly newest: readonly {
    readonly checked_at: number;
    readonly method: ExitMethod;
    readonly instant: string | null;
    readonly total_assets: string;
    readonly exit_bps: number | null;
    readonly accrues: boolean | null;
    readonly curve: readonly (readonly [string, number])[];
  }[];
  readonly p10: string | null;
  readonly fraction_p10: number | null;
  readonly days: readonly (readonly [number, string])[];
}

/** Keep the exits of vaults in the database. */
export function createDatabaseExitStore({ db }: Pick<DatabaseHandle, 'db'>): ExitStore {
  return {
    read: async (vaults) => {
      const states = new Map<number, ExitState>();
      for await (const part of inChunks(vaults, vaultsPerRead)) {
        const { rows } = await stateRows(part).execute(db);
        for (const row of rows) states.set(row.vault_id, toState(row));
      }
      return states;
    },

    save: async (exits) => {
      for await (const part of inChunks(exits, rowsPerStatement))
        await db.transaction().execute((transaction) => saveExits(transaction, part));
    },
  };
}

const stateRows = (vaults: readonly number[]) => sql<StateRow>`
  with hourly as materialized (
    select vault_id, hour, instant, instant::float8 / nullif(total_assets, 0)::float8 as fraction
    from vault_exit where vault_id = ${anyOf(vaults)} and instant is not null
  ),
  lowest as (
    select vault_id, percentile_disc(0.1) within group (order by instant)::text as p10,
      percentile_disc(0.1) within group (order by fraction) as fraction_p10
    from hourly group by vault_id
  ),
  daily as (
    select vault_id, json_agg(json_build_array(extract(epoch from day)::bigint, instant::text) order by day) as days
    from (
      select vault_id, date_trunc('day', hour, 'UTC') as day, min(instant) as instant from hourly group by 1, 2
    ) as lowest_of_day group by vault_id
  )
  select vault_id, newest, p10, fraction_p10, coalesce(days, '[]') as days
  from unnest(${[...vaults]}::integer[]) as wanted (vault_id)
  cross join lateral (
    select json_agg(json_build_object(
      'checked_at', extract(epoch from checked_at)::bigint, 'method', method,
      'instant', instant::text, 'total_assets', total_assets::text, 'exit_bps', exit_bps,
      'accrues', accrues, 'curve', coalesce(curve, '[]')) order by hour desc) as newest
    from (
      select * from vault_exit where vault_exit.vault_id = wanted.vault_id order by hour desc limit 2
    ) as newest_two
  ) as samples
  left join lowest using (vault_id) left join daily using (vault_id)
  where newest is not null`;

function toState({ newest: [newest, previous], p10, fraction_p10, days, vault_id }: StateRow): ExitState {
  const toSample = (row: StateRow['newest'][number]): ExitSample => ({
    vault: vault_id,
    checkedAt: row.checked_at,
    method: row.method,
    instant: row.instant === null ? null : BigInt(row.instant),
    totalAssets: BigInt(row.total_assets),
    exitBps: row.exit_bps,
    accrues: row.accrues,
    curve: row.curve.map(([assets, receivedBps]) => ({ assets: BigInt(assets), receivedBps })),
  });
  return {
    newest: toSample(newest!),
    previous: previous && toSample(previous),
    p10: p10 === null || fraction_p10 === null ? undefined : { instant: BigInt(p10), fraction: fraction_p10 },
    days: days.map(([t, instant]) => ({ t, instant: BigInt(instant) })),
  };
}

async function saveExits(transaction: Transaction<Schema>, exits: readonly ExitSample[]): Promise<void> {
  await sql`
    insert into vault_exit (${names})
    select distinct on (vault_id, hour) ${names} from ${recordset(exits.map(toRow), columns)}
    order by vault_id, hour, checked_at desc
    on conflict (vault_id, hour) do update set
      checked_at = excluded.checked_at, method = excluded.method,
      instant = excluded.instant, total_assets = excluded.total_assets, exit_bps = excluded.exit_bps,
      accrues = excluded.accrues, curve = excluded.curve
    where excluded.checked_at >= vault_exit.checked_at`.execute(transaction);
  const hour = floorHour(Math.min(...exits.map(({ checkedAt }) => checkedAt)));
  const older = sql`vault_id = ${anyOf(exits.map(({ vault }) => vault))} and hour <`;
  // Within a day, so that the index finds the few rows that have a curve.
  await sql`
    update vault_exit set curve = null where ${older} ${toDate(hour)}
      and hour >= ${toDate(hour - daySeconds)} and curve is not null`.execute(transaction);
  await sql`delete from vault_exit where ${older} ${toDate(hour - keptSeconds)}`.execute(transaction);
}

const toRow = (sample: ExitSample) => ({
  vault_id: sample.vault,
  hour: toDate(floorHour(sample.checkedAt)),
  checked_at: toDate(sample.checkedAt),
  method: sample.method,
  instant: sample.instant?.toString() ?? null,
  total_assets: sample.totalAssets.toString(),
  exit_bps: sample.exitBps,
  accrues: sample.accrues,
  curve: sample.curve.map(({ assets, receivedBps }) => [assets.toString(), receivedBps]),
});
