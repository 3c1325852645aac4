import type { DatabaseHandle, ShareMovementTable } from '@yield-vault/database';
import type { WalletMovement } from '@yield-vault/smart-account';
import { sql, type Selectable } from 'kysely';
import type { Address } from 'viem';
import type { WalletKey } from './ports.js';
import type { PricedMovement } from './types.js';

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

/** Read the movements of a wallet up to a block. */
export async function storedMovements(
  db: Database,
  key: WalletKey,
  newest: bigint,
): Promise<WalletMovement[]> {
  const rows = await db
    .selectFrom('share_movement')
    .selectAll()
    .where(ofWallet(key))
    .where('block', '<=', newest)
    .execute();
  return rows.map(toMovement);
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

/** Store the assets of movements that had no price. */
export async function storePrices(
  db: Database,
  key: WalletKey,
  movements: readonly PricedMovement[],
): Promise<void> {
  for (const { blockNumber, logIndex, assets } of movements)
    await db
      .updateTable('share_movement')
      .set({ assets })
      .where(ofWallet(key))
      .where('block', '=', blockNumber)
      .where('log_index', '=', logIndex)
      .execute();
}

function toMovement(row: Selectable<ShareMovementTable>): WalletMovement {
  return {
    wallet: row.wallet as Address,
    vault: row.vault as Address,
    kind: row.kind,
    shares: BigInt(row.shares),
    assets: row.assets === null ? undefined : BigInt(row.assets),
    blockNumber: row.block,
    logIndex: row.log_index,
  };
}
