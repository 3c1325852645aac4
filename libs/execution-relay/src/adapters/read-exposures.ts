import type { DatabaseHandle } from '@yield-vault/database';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { sql } from 'kysely';
import type { Address, Hex } from 'viem';

export const retryAfterSeconds = 60;

/** A position, or a deposit whose event is not stored yet. */
export interface Exposure {
  /** Null for a position. */
  readonly intent_id: Hex | null;
  readonly chain_id: bigint;
  /** Lower case. */
  readonly vault: string;
  /** Whether it belongs to the wallet whose deposit is checked. */
  readonly is_own: boolean;
  /** Whether it moves shares that count already. */
  readonly is_rebalance: boolean;
  /** The vault that `shares` and `assets` refer to: the source of a rebalance, else `vault`. */
  readonly priced_vault: Address;
  /** Base units. */
  readonly shares: string | null;
  /** Base units. Read only when `shares` is null. */
  readonly assets: string | null;
}

/**
 * Read what counts against the caps.
 *
 * @param chains - whose events the worker must have read lately
 * @param walletOrIntent - whose exposures are `is_own`: a wallet in lower case, or the id of its intent
 * @param positions - whose positions to read
 * @throws {UpstreamUnavailableError} when the value is unknown
 */
export async function readExposures(
  db: DatabaseHandle['db'],
  chains: readonly { readonly chainId: number }[],
  walletOrIntent: string,
  positions: 'all' | 'own' = 'all',
): Promise<readonly Exposure[]> {
  const fresh = await sql<{ chain_id: bigint }>`
    select chain_id from followed_chain where seen_at > now() - interval '5 minutes'`.execute(db);
  const ids = fresh.rows.map(({ chain_id }) => Number(chain_id));
  const stale = chains.find(({ chainId }) => !ids.includes(chainId));
  if (stale) throw unknownValue(`The events of chain ${stale.chainId} are stale`);
  const { rows } = await sql<Exposure>`
    with followed as materialized (
      select chain_id, block_time from followed_chain where seen_at > now() - interval '5 minutes'
    ), movement as not materialized (
      select chain_id, wallet, vault, block, kind,
        case when kind in ('deposit', 'transfer-in') then shares else -shares end as shares
      from share_movement join followed using (chain_id)
    ), own as (
      select coalesce((select wallet from intent where intent_id = ${walletOrIntent}), ${walletOrIntent}) as wallet
    ), operation as (
      select chain_id, wallet, block from user_operation
      where ${positions} = 'all' or wallet = (select wallet from own)
    ), held as ( -- what came by an operation of the service, less everything that left
      select chain_id, wallet, vault, sum(shares) as shares
      from (
        select chain_id, wallet, vault, shares
        from (select distinct chain_id, wallet, block from operation) deposited
          join movement using (chain_id, wallet, block) where kind = 'deposit'
        union all
        select chain_id, wallet, vault, shares
        from (select distinct chain_id, wallet from operation) used join movement using (chain_id, wallet)
        where kind in ('withdraw', 'transfer-out')
      ) counted
      group by chain_id, wallet, vault having sum(shares) > 0
    )
    select null as intent_id, chain_id, vault, wallet = (select wallet from own) as is_own, false as is_rebalance,
      vault as priced_vault, sum(shares) as shares, null as assets
    from held group by chain_id, vault, is_own
    union all
    select intent_id, chain_id, lower(moves -> -1 ->> 'vaultAddress'), wallet = (select wallet from own),
      coalesce(moved.shares <= (
        select shares from held where held.chain_id = intent.chain_id and held.wallet = intent.wallet
          and held.vault = lower(moves -> 0 ->> 'vaultAddress')
      ), false), moves -> 0 ->> 'vaultAddress', moved.shares,
      case when moves -> 0 ->> 'hook' = 'deposit' then moves -> 0 ->> 'amount' end
    from intent join followed using (chain_id) cross join lateral (
      select case when moves -> 0 ->> 'hook' = 'redeem' then coalesce((moves -> 0 ->> 'amount')::numeric, (
        select sum(shares) from movement where movement.chain_id = intent.chain_id
          and movement.wallet = intent.wallet and movement.vault = lower(moves -> 0 ->> 'vaultAddress')
      )) end as shares
    ) moved
    where moves -> -1 ->> 'hook' = 'deposit' and (
      state in ('submitted', 'included')
      or state = 'confirmed' and updated_at > least(to_timestamp(block_time), now()) - interval '15 minutes'
    ) and not exists (
      select from user_operation stored
      where stored.chain_id = intent.chain_id and stored.user_op_hash = intent.user_op_hash
    )`.execute(db);
  return rows;
}

export const unknownValue = (why: string) =>
  new UpstreamUnavailableError({
    detail: `${why}, so the caps of deposits cannot be checked. Redeem works.`,
    details: { dependency: 'deposit-caps' },
    retryAfterSeconds,
  });
