import { sql, type Kysely } from 'kysely';

const statements = [
  // Partitions need `expiry` in the key. The key of `intent` alone excludes a second submission.
  `create table intent_archive (
    expiry bigint not null,
    intent_id text not null,
    chain_id bigint not null,
    wallet text not null,
    state text not null check (state in ('confirmed', 'failed', 'expired')),
    user_op_hash text not null,
    nonce numeric(78, 0) not null,
    user_operation jsonb not null,
    submitted_block bigint,
    moves jsonb,
    tx_hash text,
    failure jsonb,
    response jsonb,
    duplicate_of text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint intent_archive_pkey primary key (expiry, intent_id)
  ) partition by range (expiry)`,
  `create index intent_archive_of_id on intent_archive (intent_id)`,
  `create index intent_archive_of_wallet on intent_archive (wallet, created_at desc)`,
  `create index intent_archive_of_operation on intent_archive (user_op_hash)`,
];

/** Add the archive of final intents. Its partitions are made as rows move. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
