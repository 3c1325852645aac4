/**
 * A function that reserves a payment in one statement. Each statement inside sees everything committed before it, so the
 * count is right once the lock is held.
 */
export const claimPayment = `
  create function claim_payment(
    of_chain bigint, of_asset text, of_payer text, of_nonce text, new_fingerprint text,
    new_pay_to text, new_amount numeric, new_valid_before bigint, new_owner text, lease_seconds double precision,
    most_of_payer integer, most_in_flight integer
  ) returns table (
    outcome text, state text, fingerprint text, tx_hash text,
    response_status integer, response_type text, response bytea
  ) language plpgsql as $$
  #variable_conflict use_column
  declare
    present payment;
    lease_end timestamptz := now() + lease_seconds * interval '1 second';
    all_in_flight bigint;
    own_in_flight bigint;
  begin
    -- One call of a payer at a time, so that its limit holds and no row is inserted twice.
    perform pg_advisory_xact_lock(hashtextextended('payment ' || of_payer, 0));
    select * into present from payment
      where chain_id = of_chain and asset = of_asset and payer = of_payer and nonce = of_nonce
      -- Its owner may be about to continue it.
      for update;

    if not found or present.state <> 'settled' and present.lease_until <= now()
      and (present.state = 'reserved' or present.fingerprint = new_fingerprint)
    then
      -- A payment whose lease lapsed is not in flight.
      select count(*), count(*) filter (where payer = of_payer) into all_in_flight, own_in_flight
        from payment where state <> 'settled' and lease_until > now();
      outcome := case
        when all_in_flight >= most_in_flight then 'full-ledger'
        when own_in_flight >= most_of_payer then 'full-payer'
        else 'owned'
      end;
      if outcome = 'owned' then
        insert into payment (
          chain_id, asset, payer, nonce, fingerprint, state, pay_to, amount, valid_before, lease_owner, lease_until
        ) values (
          of_chain, of_asset, of_payer, of_nonce, new_fingerprint, 'reserved', new_pay_to, new_amount,
          new_valid_before, new_owner, lease_end
        )
        -- Another signature of the same nonce may be valid for longer, or have other terms.
        on conflict on constraint payment_pkey do update
          set fingerprint = excluded.fingerprint, pay_to = excluded.pay_to, amount = excluded.amount,
            valid_before = excluded.valid_before, lease_owner = excluded.lease_owner,
            lease_until = excluded.lease_until, updated_at = now()
        returning * into present;
      end if;
    else
      outcome := 'known';
      if present.state = 'settled' and present.lease_until <= now() then
        present.response := null;
      end if;
    end if;

    return query select outcome, present.state, present.fingerprint, present.tx_hash,
      present.response_status, present.response_type, present.response;
  end
  $$`;
