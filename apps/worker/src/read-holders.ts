import type { DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';
import type { Address } from 'viem';

/**
 * Create a reader of up to ten holders of each vault from its last 2,000 stored movements of shares: the largest by
 * shares times the blocks for which they were held, because a lock shows in old positions. Those who used the service count
 * tenfold: a lock hurts them.
 *
 * @returns the holders by lower-case vault; they may have left since, where other movements are not stored
 */
export const createHoldersReader =
  ({ db }: Pick<DatabaseHandle, 'db'>) =>
  async (chainId: number, vaults: readonly Address[]): Promise<ReadonlyMap<string, readonly Address[]>> => {
    const { rows } = await sql<{ vault: string; holders: Address[] }>`
    select vault, array(
      select wallet from (
        select wallet, sum(held) as shares, sum(held * (until.block - movement.block)) as held_blocks
        from (
          select wallet, block, case when kind in ('deposit', 'transfer-in') then shares else -shares end as held
          from share_movement where chain_id = ${chainId} and vault = listed.vault order by block desc limit 2000
        ) movement group by wallet
      ) holder where shares > 0
      order by held_blocks * case when exists (
        select from user_operation used where used.chain_id = ${chainId} and used.wallet = holder.wallet
      ) then 10 else 1 end desc limit 10
    ) as holders
    from unnest(${vaults.map((vault) => vault.toLowerCase())}::text[]) as listed (vault),
      (select block from followed_chain where chain_id = ${chainId}) as until`.execute(db);
    return new Map(rows.map(({ vault, holders }) => [vault, holders]));
  };
