import type { DatabaseHandle } from '@yield-vault/database';
import { sql } from 'kysely';
import type { Address } from 'viem';
import type { Price } from './movements.js';
import type { WalletKey } from './ports.js';
import type { ShareMovement } from './types.js';

type Database = DatabaseHandle['db'];

/** Choose the rows of a wallet. */
export const ofWallet = ({ chainId, wallet }: WalletKey) =>
  sql<boolean>`chain_id = ${chainId} and wallet = ${wallet.toLowerCase()}`;

/** Read the first block from which the events of each followed contract are stored, by lower-case address. */
export async function firstBlocks(db: Database, chainId: number): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db
    .selectFrom('followed_contract')
    .select(['address', 'first_block'])
    .where('chain_id', '=', BigInt(chainId))
    .execute();
  return new Map(rows.map(({ address, first_block }) => [address, first_block]));
}

const mostMovements = 20_000;

/**
 * Read the movements of a wallet up to a block, by lower-case vault. Anybody can send dust to a wallet, so the movements of
 * one kind in a block are one.
 *
 * @returns `undefined` when there are more than 20,000
 */
export async function storedMovements(
  db: Database,
  key: WalletKey,
  newest: bigint,
): Promise<ReadonlyMap<string, readonly ShareMovement[]> | undefined> {
  const rows = await db
    .selectFrom('share_movement')
    .select([
      'vault',
      'block',
      'kind',
      sql<string>`sum(shares)`.as('shares'),
      sql<string | null>`sum(assets)`.as('assets'),
      // No share leaves before it came.
      sql<number>`case when kind in ('deposit', 'transfer-in') then min(log_index) else max(log_index) end`.as(
        'log_index',
      ),
    ])
    .where(ofWallet(key))
    .where('block', '<=', newest)
    .groupBy(['vault', 'block', 'kind', sql`assets is null`])
    .limit(mostMovements + 1)
    .execute();
  if (rows.length > mostMovements) return undefined;
  const movements = new Map<string, ShareMovement[]>();
  for (const { vault, block, kind, shares, assets, log_index } of rows) {
    const ofVault = movements.get(vault) ?? [];
    movements.set(vault, ofVault);
    ofVault.push({
      kind,
      shares: BigInt(shares),
      assets: assets === null ? undefined : BigInt(assets),
      blockNumber: block,
      logIndex: log_index,
    });
  }
  return movements;
}

/** Sum what a wallet paid for gas up to a block, in base units of USDC. */
export async function paidGas(db: Database, key: WalletKey, newest: bigint): Promise<bigint> {
  const { paid } = await db
    .selectFrom('user_operation')
    .select(sql<string>`coalesce(sum(gas_usdc), 0)`.as('paid'))
    .where(ofWallet(key))
    .where('block', '<=', newest)
    .executeTakeFirstOrThrow();
  return BigInt(paid);
}

/** Store the assets of shares of a vault that were received by transfer and had no price, by block. */
export async function storePrices(
  db: Database,
  key: WalletKey,
  vault: Address,
  prices: Iterable<readonly [bigint, Price]>,
): Promise<void> {
  for (const [block, { shares, assets }] of prices)
    await db
      .updateTable('share_movement')
      .set({ assets: sql<string>`div(${assets}::numeric * shares, ${shares}::numeric)` })
      .where(ofWallet(key))
      .where('block', '=', block)
      .where('vault', '=', vault)
      .where('kind', '=', 'transfer-in')
      .where('assets', 'is', null)
      .execute();
}
