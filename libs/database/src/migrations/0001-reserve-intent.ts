/**
 * SQL of `reserve_intent`; part of migration 0001-initial. One call reserves an intent. Under READ COMMITTED, the counts
 * after the lock include all committed rows.
 */
export const reserveIntent = `
  create function reserve_intent(
    new_id text, of_chain bigint, of_wallet text, of_operation text, of_nonce numeric, new_expiry bigint,
    new_user_operation jsonb, new_owner text, lease_seconds double precision,
    max_open_per_nonce integer, max_open_per_wallet integer
  ) returns table (outcome text, existing intent) language plpgsql as $$
  #variable_conflict use_column
  declare
    open_states constant text[] := array['reserved', 'simulated', 'submitted', 'included'];
    lease_end timestamptz := now() + lease_seconds * interval '1 second';
  begin
    -- One reservation of a wallet at a time, so that its limits hold and one operation has one open row.
    perform pg_advisory_xact_lock(hashtextextended('intent ' || of_wallet, 0));
    -- Another intent of the operation was never sent, and its call is gone.
    delete from intent where user_op_hash = of_operation and intent_id <> new_id
      and state in ('reserved', 'simulated') and lease_until <= now();
    select * into existing from intent
      where intent_id = new_id or (user_op_hash = of_operation and state <> 'expired')
      order by state = 'expired', intent_id <> new_id limit 1
      for update;

    if found then
      outcome := 'known';
      if existing.intent_id <> new_id and existing.response is not null then
        -- It expired before the other intent was executed.
        delete from intent where intent_id = new_id;
        -- A signer can make any number of variants. The ledger keeps 16, and each that it has sent.
        insert into intent_duplicate (intent_id, duplicate_of, expiry) select new_id, existing.intent_id, new_expiry
          where found or (select count(*) from intent_duplicate where duplicate_of = existing.intent_id) < 16
          on conflict do nothing;
      end if;
      if existing.state = any (open_states) and existing.lease_until <= now() then
        update intent set lease_owner = new_owner, lease_until = lease_end
          where intent_id = existing.intent_id returning * into existing;
        outcome := 'owned';
      end if;
      return next;
      return;
    end if;

    -- If a limit is reached, return the oldest open row, first of this nonce, then of this wallet.
    select * into existing from intent
      where wallet = of_wallet and state = any (open_states) and (
        (select count(*) from intent where wallet = of_wallet and state = any (open_states)) >= max_open_per_wallet
        or (chain_id = of_chain and nonce = of_nonce and (
          select count(*) from intent
            where wallet = of_wallet and state = any (open_states) and chain_id = of_chain and nonce = of_nonce
        ) >= max_open_per_nonce)
      )
      order by (chain_id = of_chain and nonce = of_nonce) desc, created_at limit 1;
    outcome := 'full';
    if not found then
      insert into intent (
        intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation, lease_owner, lease_until
      ) values (
        new_id, of_chain, of_wallet, 'reserved', of_operation, of_nonce, new_expiry, new_user_operation, new_owner, lease_end
      )
      -- Another wallet may insert the same merkle root at the same time. The no-op update returns its row.
      on conflict (intent_id) do update set intent_id = excluded.intent_id
      returning * into existing;
      outcome := case when existing.lease_owner = new_owner then 'owned' else 'known' end;
    end if;
    return next;
  end
  $$`;
