import {
  chainEventTables,
  storeChainEvents,
  type ChainEventRows,
  type DatabaseHandle,
  type Schema,
} from '@yield-vault/database';
import { sql, type Insertable, type Transaction } from 'kysely';
import type { Address, Hex } from 'viem';
import { keptBlocks } from './news.js';
import type { Cursor, ReadBlocks } from './types.js';

/** The clock of the database, so that processes on several machines agree. */
const now = sql<Date>`now()`;

/** A block that was read lately. */
export interface KnownBlock extends Cursor {
  /** Whether the chain is followed from the next block on. */
  readonly isBegin: boolean;
}

/** Blocks in a row, and their events. */
export interface Advance {
  readonly blocks: readonly ReadBlocks[];
  readonly events: ChainEventRows;
  /** Contracts, in lower case, that are followed from these blocks on. */
  readonly added: readonly Address[];
}

/** The stored events of every chain, as their followers write them. */
export type EventStore = ReturnType<typeof createEventStore>;

/** Another process follows the chain too, and was faster. */
class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/** Keep blocks and events in the database, for all processes. */
export function createEventStore({ db }: Pick<DatabaseHandle, 'db'>) {
  /** Move the cursor, and store what belongs to it, unless another process moved it. */
  const move = (
    chainId: number,
    from: Cursor,
    to: Cursor,
    store: (transaction: Transaction<Schema>) => Promise<void>,
  ) =>
    db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('followed_chain')
        .set({ ...toCursorColumns(to), seen_at: now })
        .where('chain_id', '=', BigInt(chainId))
        .where('block_hash', '=', from.hash)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw new OvertakenError();
      await store(transaction);
    });

  return {
    async cursor(chainId: number): Promise<Cursor | undefined> {
      const row = await db
        .selectFrom('followed_chain')
        .select(['block', 'block_hash', 'block_time'])
        .where('chain_id', '=', BigInt(chainId))
        .executeTakeFirst();
      return row && { number: row.block, hash: row.block_hash as Hex, timestamp: row.block_time };
    },

    /** Follow a chain from the block after this one. Everything that was stored of an earlier chain is deleted. */
    async begin(chainId: number, head: Cursor): Promise<void> {
      const chain = BigInt(chainId);
      await db.transaction().execute(async (transaction) => {
        for (const table of chainEventTables)
          await transaction.deleteFrom(table).where('chain_id', '=', chain).execute();
        const row = { chain_id: chain, first_block: head.number + 1n, ...toCursorColumns(head) };
        await transaction.insertInto('followed_chain').values(row).execute();
        // An empty range: it holds no events.
        const begun = toBlockRow(chain, head, head.number + 1n);
        await transaction.insertInto('followed_block').values(begun).execute();
      });
    },

    /** The node shows the newest block: nobody has to read the chain instead of us. */
    async seen(chainId: number): Promise<void> {
      const update = db.updateTable('followed_chain').set({ seen_at: now });
      await update.where('chain_id', '=', BigInt(chainId)).execute();
    },

    async contracts(chainId: number): Promise<Address[]> {
      const rows = await db
        .selectFrom('followed_contract')
        .select('address')
        .where('chain_id', '=', BigInt(chainId))
        .execute();
      return rows.map(({ address }) => address as Address);
    },

    /** The last blocks, the newest first. */
    async blocks(chainId: number): Promise<KnownBlock[]> {
      const rows = await db
        .selectFrom('followed_block')
        .select(['from_block', 'block', 'block_hash'])
        .where('chain_id', '=', BigInt(chainId))
        .orderBy('block', 'desc')
        .execute();
      return rows.map(({ from_block, block, block_hash }) => ({
        number: block,
        hash: block_hash as Hex,
        timestamp: 0n,
        isBegin: from_block > block,
      }));
    },

    /** @throws {OvertakenError} when another process follows the chain */
    advance(chainId: number, from: Cursor, { blocks: read, events, added }: Advance): Promise<void> {
      const chain = BigInt(chainId);
      const { last } = read.at(-1)!;
      return move(chainId, from, last, async (transaction) => {
        await storeChainEvents(transaction, chainId, events);
        // With its first events, so that no other follower stores one without the other.
        const contracts = added.map((address) => ({
          chain_id: chain,
          address,
          first_block: from.number + 1n,
        }));
        if (contracts.length > 0)
          await transaction.insertInto('followed_contract').values(contracts).execute();
        await transaction
          .insertInto('followed_block')
          .values(read.map(({ fromBlock, last: block }) => toBlockRow(chain, block, fromBlock)))
          .execute();
        await transaction
          .deleteFrom('followed_block')
          .where('chain_id', '=', chain)
          .where('block', '<', last.number - keptBlocks)
          .execute();
      });
    },

    /** Add events of a stored block that its node did not show before. */
    async add(chainId: number, { number, hash }: Cursor, events: ChainEventRows): Promise<void> {
      const chain = BigInt(chainId);
      await db.transaction().execute(async (transaction) => {
        // Locked, so that no reorganisation removes the block meanwhile.
        const { rows } = await sql`
          select 1 from followed_block where chain_id = ${chain} and block = ${number} and block_hash = ${hash}
          for update`.execute(transaction);
        if (rows.length > 0) await storeChainEvents(transaction, chainId, events);
      });
    },

    /**
     * Remove the events of every block after this one.
     *
     * @throws {OvertakenError} when another process follows the chain
     */
    rollBack(chainId: number, from: Cursor, to: Cursor): Promise<void> {
      return move(chainId, from, to, async (transaction) => {
        for (const table of ['followed_block', 'user_operation', 'share_movement'] as const)
          await transaction
            .deleteFrom(table)
            .where('chain_id', '=', BigInt(chainId))
            .where('block', '>', to.number)
            .execute();
      });
    },
  };
}

const toCursorColumns = ({ number, hash, timestamp }: Cursor) => ({
  block: number,
  block_hash: hash,
  block_time: timestamp,
});

const toBlockRow = (
  chain: bigint,
  { number, hash }: Pick<Cursor, 'number' | 'hash'>,
  fromBlock = number,
): Insertable<Schema['followed_block']> => ({
  chain_id: chain,
  from_block: fromBlock,
  block: number,
  block_hash: hash,
});
