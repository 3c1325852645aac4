import { sql, type Kysely } from 'kysely';

/** Add what holders of a vault can redeem, and what a deposit and a redeem cost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table vault_exit (
    vault_id integer not null references vault (id),
    hour timestamptz not null,
    checked_at timestamptz not null,
    method text not null check (method in ('simulated', 'protocol', 'idle', 'unknown')),
    instant numeric(78, 0),
    total_assets numeric(78, 0) not null,
    exit_bps smallint,
    accrues boolean,
    curve jsonb,
    constraint vault_exit_pkey primary key (vault_id, hour),
    constraint vault_exit_known check ((method = 'unknown') = (instant is null))
  )`.execute(db);
  const gas = sql.raw(`add column deposit_gas integer not null default 0,
    add column redeem_gas integer not null default 0`);
  await sql`alter table vault_capability ${gas}`.execute(db);
  await sql`alter table vault_report ${gas}`.execute(db);
}
