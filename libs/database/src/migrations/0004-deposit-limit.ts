import { sql, type Kysely } from 'kysely';

/** Add what operators stop or limit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table deposit_limit (
    kind text not null check (kind in ('pause', 'cap')),
    scope text not null,
    limit_usd double precision not null check (limit_usd >= 0),
    reason text not null default '',
    created_at timestamptz not null default now(),
    constraint deposit_limit_pkey primary key (kind, scope)
  )`.execute(db);
}
