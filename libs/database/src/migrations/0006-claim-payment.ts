import { sql, type Kysely } from 'kysely';

/**
 * Reserving a payment as one question. Every statement of the function sees what was committed before it, so that what
 * counts is what the payer's other calls have done by the time that the lock is there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function claim_payment(
      of_chain bigint, of_asset text, of_payer text, of_nonce text,
      new_fingerprint text, new_expiry timestamptz, new_owner text, lease_seconds double precision,
      most_of_payer integer, most_in_flight integer
    ) returns table (
      outcome text, state text, fingerprint text, tx_hash text,
      answer_status integer, answer_type text, answer bytea
    ) language plpgsql as $$
    #variable_conflict use_column
    declare
      present payment;
      lease_end timestamptz := now() + lease_seconds * interval '1 second';
      all_in_flight bigint;
      own_in_flight bigint;
    begin
      -- What one payer does comes one after the other, so that its limit holds and a row is not made twice.
      perform pg_advisory_xact_lock(hashtextextended('payment ' || of_payer, 0));
      select * into present from payment
        where chain_id = of_chain and asset = of_asset and payer = of_payer and nonce = of_nonce
        -- Its owner may be about to go on with it.
        for update;

      if not found then
        select count(*), count(*) filter (where payer = of_payer) into all_in_flight, own_in_flight
          from payment where state <> 'settled';
        outcome := case
          when all_in_flight >= most_in_flight then 'full-ledger'
          when own_in_flight >= most_of_payer then 'full-payer'
          else 'owned'
        end;
        if outcome = 'owned' then
          insert into payment (chain_id, asset, payer, nonce, fingerprint, state, lease_owner, lease_until, expires_at)
            values (of_chain, of_asset, of_payer, of_nonce, new_fingerprint, 'reserved', new_owner, lease_end, new_expiry)
            returning * into present;
        end if;
      elsif present.state <> 'settled' and present.lease_until <= now()
        and (present.state = 'reserved' or present.fingerprint = new_fingerprint)
      then
        outcome := 'owned';
        -- Another signature of the same nonce may be valid for longer than the first one was.
        update payment
          set fingerprint = new_fingerprint, expires_at = new_expiry,
            lease_owner = new_owner, lease_until = lease_end, updated_at = now()
          where chain_id = of_chain and asset = of_asset and payer = of_payer and nonce = of_nonce
          returning * into present;
      else
        outcome := 'known';
      end if;

      return query select outcome, present.state, present.fingerprint, present.tx_hash,
        present.answer_status, present.answer_type, present.answer;
    end
    $$`.execute(db);
}
