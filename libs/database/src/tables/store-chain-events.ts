import type { Insertable, Kysely } from 'kysely';
import type { ShareMovementKind } from './chain-events.js';
import type { Schema } from './schema.js';

/** A chain whose follower has not seen its node for so long is followed by nobody. */
export const followerSilentSeconds = 10;

/** Every table that holds rows of followed chains. */
export const chainEventTables = [
  'followed_chain',
  'followed_block',
  'followed_contract',
  'user_operation',
  'share_movement',
  'wallet_past',
] as const;

/** Events of a chain. Addresses are in lower case. */
export interface ChainEventRows {
  readonly movements: readonly {
    readonly wallet: string;
    readonly vault: string;
    readonly kind: ShareMovementKind;
    /** Base units of the share. */
    readonly shares: bigint;
    /** Base units of the asset. */
    readonly assets: bigint | undefined;
    readonly blockNumber: bigint;
    readonly logIndex: number;
  }[];
  readonly operations: readonly {
    readonly wallet: string;
    readonly nonce: bigint;
    readonly userOpHash: string;
    readonly txHash: string;
    readonly blockNumber: bigint;
    readonly logIndex: number;
    /** Base units of USDC. */
    readonly gasUsdc: bigint | undefined;
  }[];
}

// PostgreSQL takes 65,535 parameters in one statement; an event has eight.
const rowsOfInsert = 5_000;

/** Store events of a chain. Those that are stored already stay as they are, because a block may be read twice. */
export async function storeChainEvents(
  db: Kysely<Schema>,
  chainId: number,
  { movements, operations }: ChainEventRows,
): Promise<void> {
  const insert = async <Table extends 'share_movement' | 'user_operation'>(
    table: Table,
    rows: readonly Insertable<Schema[Table]>[],
  ) => {
    for (let from = 0; from < rows.length; from += rowsOfInsert)
      await db
        .insertInto(table)
        .values(rows.slice(from, from + rowsOfInsert))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  };
  await insert(
    'share_movement',
    movements.map(({ wallet, vault, kind, shares, assets = null, blockNumber, logIndex }) => ({
      chain_id: chainId,
      wallet,
      vault,
      kind,
      shares,
      assets,
      block: blockNumber,
      log_index: logIndex,
    })),
  );
  await insert(
    'user_operation',
    operations.map(({ wallet, nonce, userOpHash, txHash, blockNumber, logIndex, gasUsdc = null }) => ({
      chain_id: chainId,
      wallet,
      nonce,
      user_op_hash: userOpHash,
      tx_hash: txHash,
      block: blockNumber,
      log_index: logIndex,
      gas_usdc: gasUsdc,
    })),
  );
}
