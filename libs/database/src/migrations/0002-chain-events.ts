import { sql, type Kysely } from 'kysely';

// Version 0.1.0 goes on with position_scan, position_movement and gas_payment until its last process ends.
const tables = [
  `create table followed_chain (
    chain_id bigint primary key,
    first_block bigint not null,
    block bigint not null,
    block_hash text not null,
    block_time bigint not null,
    seen_at timestamptz not null default now()
  )`,
  `create table followed_block (
    id bigint generated always as identity primary key,
    chain_id bigint not null,
    from_block bigint not null,
    block bigint not null,
    block_hash text not null,
    constraint followed_block_number unique (chain_id, block)
  )`,
  `create table followed_contract (
    chain_id bigint not null,
    address text not null check (address = lower(address)),
    first_block bigint not null,
    constraint followed_contract_pkey primary key (chain_id, address)
  )`,
  `create table user_operation (
    chain_id bigint not null,
    user_op_hash text not null,
    wallet text not null,
    nonce numeric(78, 0) not null,
    block bigint not null,
    log_index integer not null,
    tx_hash text not null,
    gas_usdc numeric(78, 0),
    constraint user_operation_pkey primary key (chain_id, user_op_hash)
  )`,
  `create index user_operation_of_wallet on user_operation (chain_id, wallet, nonce)`,
  `create index user_operation_of_block on user_operation (chain_id, block)`,
  `create table share_movement (
    chain_id bigint not null,
    wallet text not null,
    block bigint not null,
    log_index integer not null,
    vault text not null,
    kind text not null check (kind in ('deposit', 'withdraw', 'transfer-in', 'transfer-out')),
    shares numeric(78, 0) not null,
    assets numeric(78, 0),
    constraint share_movement_pkey primary key (chain_id, wallet, block, log_index)
  )`,
  `create index share_movement_of_block on share_movement (chain_id, block)`,
  `create table wallet_past (
    chain_id bigint not null,
    wallet text not null,
    vaults text[] not null,
    done_vaults text[] not null default '{}',
    next_block bigint not null,
    last_block bigint not null,
    first_receipt bigint,
    client text,
    lease_owner text,
    lease_until timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint wallet_past_pkey primary key (chain_id, wallet)
  )`,
  // The reader of pasts, and the quota of a client.
  `create index wallet_past_unfinished on wallet_past (chain_id, updated_at) where next_block <= last_block`,
];

/** Add the events that the follower of each chain stores. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of tables) await sql.raw(statement).execute(db);
}
