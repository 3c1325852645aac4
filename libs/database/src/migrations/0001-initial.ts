import { sql, type Kysely } from 'kysely';
import { claimPayment } from './0001-claim-payment.js';
import { reserveIntent } from './0001-reserve-intent.js';

// Columns of one measured vault, hourly and daily.
const measurement = `
  t timestamptz not null,
  block bigint not null,
  share_price numeric(78, 0) not null,
  total_assets numeric(78, 0) not null,
  total_supply numeric(78, 0) not null,
  price_usd double precision not null,
  source smallint not null,
  origin smallint not null`;

const lease = `
  lease_owner text,
  lease_until timestamptz`;

const times = `
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()`;

const discovery = [
  `create table vault (
    id integer generated always as identity primary key,
    vault_id numeric(20, 0) not null unique,
    chain_id bigint not null,
    address text not null check (address = lower(address)),
    created_at timestamptz not null default now(),
    constraint vault_chain_address unique (chain_id, address)
  )`,
  // One partition a month, so that a month kept by the day can be dropped at once. A default partition would have to
  // be scanned under a lock whenever a month is added.
  `create table vault_snapshot (
    vault_id integer not null references vault (id),
    hour timestamptz not null,
    ${measurement},
    constraint vault_snapshot_pkey primary key (vault_id, hour),
    constraint vault_snapshot_hour check (t >= hour and t < hour + interval '1 hour'),
    constraint vault_snapshot_origin check (origin in (0, 1))
  ) partition by range (hour)`,
  `create table vault_snapshot_daily (
    vault_id integer not null references vault (id),
    day timestamptz not null,
    ${measurement},
    constraint vault_snapshot_daily_pkey primary key (vault_id, day),
    constraint vault_snapshot_daily_day check (t >= day and t < day + interval '1 day'),
    constraint vault_snapshot_daily_origin check (origin in (0, 1))
  )`,
  `create table sampling_checkpoint (
    vault_id integer primary key references vault (id),
    covered_from timestamptz not null,
    covered_until timestamptz not null,
    constraint sampling_checkpoint_order check (covered_from <= covered_until)
  )`,
  `create table sampling_anchor (
    chain_id bigint primary key,
    block bigint not null,
    block_hash text not null
  )`,
  `create table vault_capability (
    vault_id integer primary key references vault (id),
    result text not null check (
      result in ('ok', 'deposit-closed', 'paused', 'below-minimum', 'whitelist', 'reverts', 'async')
    ),
    checked_at timestamptz not null,
    block bigint not null,
    failed_step text check (failed_step in ('deposit', 'redeem')),
    reason text,
    assets_in numeric(78, 0) not null,
    shares_out numeric(78, 0) not null,
    assets_out numeric(78, 0) not null
  )`,
  `create table chain_report (
    chain_id bigint primary key,
    version bigint not null,
    newest_snapshot timestamptz
  )`,
  // json, not jsonb: every process must serve the same bytes, so the text has to stay as written.
  `create table vault_report (
    vault_id integer primary key references vault (id),
    chain_id bigint not null,
    version bigint not null,
    summary json not null,
    asset_price_usd double precision not null,
    report json not null
  )`,
  `create table rejected_vault (
    chain_id bigint not null,
    address text not null,
    name text not null,
    reason text not null,
    constraint rejected_vault_pkey primary key (chain_id, address)
  )`,
];

const ledgers = [
  `create table intent (
    intent_id text primary key,
    chain_id bigint not null,
    wallet text not null,
    state text not null check (
      state in ('reserved', 'simulated', 'submitted', 'included', 'confirmed', 'failed', 'expired')
    ),
    user_op_hash text not null,
    nonce numeric(78, 0) not null,
    expiry bigint not null,
    user_operation jsonb not null,
    submitted_block bigint,
    moves jsonb,
    tx_hash text,
    failure jsonb,
    response jsonb,
    ${lease},
    ${times}
  )`,
  // The sweeper reads it. It holds few rows, however large the ledger is.
  `create index intent_unsettled on intent (lease_until)
    where state in ('reserved', 'simulated', 'submitted', 'included')`,
  `create index intent_of_wallet on intent (wallet, created_at desc)`,
  `create index intent_of_operation on intent (user_op_hash)`,
  // The limits on open rows count it. It holds few rows, however large the ledger is.
  `create index intent_open on intent (wallet) where state in ('reserved', 'simulated', 'submitted', 'included')`,
  // Other intents of an executed operation, which differ in expiry or validAfter.
  `create table intent_duplicate (
    intent_id text primary key,
    duplicate_of text not null references intent (intent_id) on delete cascade,
    expiry bigint not null,
    created_at timestamptz not null default now()
  )`,
  `create index intent_duplicate_of on intent_duplicate (duplicate_of)`,
  // One row for each restore or failover that may have lost rows of the ledger; operators insert it.
  `create table ledger_restore (
    restored_at timestamptz primary key default now()
  )`,
  // Metrics count the intents of the last day.
  `create index intent_final on intent (updated_at) where state in ('confirmed', 'failed', 'expired')`,
  `create table setup_submission (
    tx_hash text primary key,
    chain_id bigint not null,
    wallet text not null,
    ticket_id text not null,
    state text not null check (state in ('reserved', 'submitted', 'confirmed')),
    response jsonb,
    ${lease},
    ${times}
  )`,
  `create table payment (
    chain_id bigint not null,
    asset text not null,
    payer text not null,
    nonce text not null,
    fingerprint text not null,
    state text not null check (state in ('reserved', 'settling', 'settled')),
    tx_hash text,
    response_status integer,
    response_type text,
    response bytea,
    pay_to text not null,
    amount numeric(78, 0) not null,
    valid_before bigint not null,
    ${lease},
    ${times},
    constraint payment_pkey primary key (chain_id, asset, payer, nonce)
  )`,
  // The limits on payments in flight count it. It holds few rows, however large the ledger is.
  `create index payment_in_flight on payment (payer) where state <> 'settled'`,
  `create index payment_validity on payment (valid_before)`,
];

const positions = [
  `create table position_scan (
    chain_id bigint not null,
    wallet text not null,
    vaults text[] not null,
    next_block bigint not null,
    target_block bigint not null,
    target_hash text not null,
    first_block bigint,
    ${lease},
    ${times},
    constraint position_scan_pkey primary key (chain_id, wallet)
  )`,
  // The background reader reads it.
  `create index position_scan_unfinished on position_scan (chain_id, updated_at) where next_block <= target_block`,
  `create table position_movement (
    chain_id bigint not null,
    wallet text not null,
    block bigint not null,
    log_index integer not null,
    vault text not null,
    kind text not null check (kind in ('deposit', 'withdraw', 'transfer-in', 'transfer-out')),
    shares numeric(78, 0) not null,
    assets numeric(78, 0),
    constraint position_movement_pkey primary key (chain_id, wallet, block, log_index),
    constraint position_movement_scan foreign key (chain_id, wallet) references position_scan on delete cascade
  )`,
  `create table gas_payment (
    chain_id bigint not null,
    wallet text not null,
    block bigint not null,
    log_index integer not null,
    amount numeric(78, 0) not null,
    constraint gas_payment_pkey primary key (chain_id, wallet, block, log_index),
    constraint gas_payment_scan foreign key (chain_id, wallet) references position_scan on delete cascade
  )`,
];

/** Create every table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...discovery, ...ledgers, ...positions, claimPayment, reserveIntent])
    await sql.raw(statement).execute(db);
}
