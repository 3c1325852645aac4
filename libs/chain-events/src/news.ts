import { followerSilentSeconds, type DatabaseHandle } from '@yield-vault/database';
import type { AwaitedOperation } from '@yield-vault/protocol';
import { sql } from 'kysely';
import type { Address, Hex } from 'viem';
import type { Header } from './types.js';

/** Blocks that stay listed: deeper than any reorganisation, and more than a waiting process may miss. */
export const keptBlocks = 128n;

/** An operation in a stored block. */
export interface SeenOperation extends Pick<AwaitedOperation, 'sender' | 'nonce' | 'userOpHash'> {
  readonly txHash: Hex;
}

/** Blocks that were stored lately. */
export interface News {
  /** The stored blocks; `undefined` while nobody follows the chain. */
  readonly followed: { readonly first: bigint; readonly newest: bigint } | undefined;
  /** Id of the newest row, to continue from. */
  readonly lastId: bigint;
  /** Whether a range of blocks was stored since, which may be older than a wait. */
  readonly hasRange: boolean;
  readonly operations: readonly SeenOperation[];
}

/** The stored events, as waiting calls read them. */
export type NewsReader = ReturnType<typeof createNewsReader>;

/** Read new blocks and operations from the database. */
export function createNewsReader({ db }: Pick<DatabaseHandle, 'db'>) {
  return {
    /** @returns the first and the newest stored block; `undefined` while nobody follows the chain */
    async followed(chainId: number): Promise<News['followed']> {
      const row = await db
        .selectFrom('followed_chain')
        .select(['first_block', 'block'])
        .where('chain_id', '=', BigInt(chainId))
        .where(isFollowed)
        .executeTakeFirst();
      return row && { first: row.first_block, newest: row.block };
    },

    /** @returns the blocks that were stored on top of this one; `undefined` unless it was stored lately, with this hash */
    async depthOf(
      chainId: number,
      { number, hash }: Pick<Header, 'number' | 'hash'>,
    ): Promise<bigint | undefined> {
      const row = await db
        .selectFrom('followed_chain')
        .innerJoin('followed_block', 'followed_block.chain_id', 'followed_chain.chain_id')
        .select('followed_chain.block')
        .where('followed_chain.chain_id', '=', BigInt(chainId))
        .where('followed_block.block', '=', number)
        .where('followed_block.block_hash', '=', hash)
        .where(isFollowed)
        .executeTakeFirst();
      return row && row.block - number;
    },

    /** The blocks and operations after a row; the newest row alone without one. */
    async news(chainId: number, lastId: bigint | undefined): Promise<News> {
      const chain = BigInt(chainId);
      const followed = await this.followed(chainId);
      const rows = await db
        .selectFrom('followed_block')
        .select(['id', 'from_block', 'block'])
        .where('chain_id', '=', chain)
        .$if(lastId !== undefined, (query) => query.where('id', '>', lastId!))
        .orderBy('id', 'desc')
        .limit(lastId === undefined ? 1 : Number(keptBlocks))
        .execute();
      const [last] = rows;
      if (!last || lastId === undefined)
        return { followed, lastId: last?.id ?? lastId ?? 0n, hasRange: false, operations: [] };
      const operations = await db
        .selectFrom('user_operation')
        .select(['wallet', 'nonce', 'user_op_hash', 'tx_hash'])
        .where('chain_id', '=', chain)
        .where('block', '>=', minimum(rows.map(({ from_block }) => from_block)))
        .execute();
      const hasRange = rows.some(({ from_block, block }) => from_block < block);
      return { followed, lastId: last.id, hasRange, operations: operations.map(toSeen) };
    },

    /** Find the operations that used these nonces. */
    async uses(
      chainId: number,
      awaited: readonly Pick<AwaitedOperation, 'sender' | 'nonce'>[],
    ): Promise<SeenOperation[]> {
      const wallets = awaited.map(({ sender }) => sender.toLowerCase());
      const nonces = awaited.map(({ nonce }) => String(nonce));
      const { rows } = await sql<{ wallet: string; nonce: string; user_op_hash: string; tx_hash: string }>`
        select wallet, nonce, user_op_hash, tx_hash from user_operation
        join unnest(${wallets}::text[], ${nonces}::numeric[]) as awaited (wallet, nonce) using (wallet, nonce)
        where chain_id = ${chainId}`.execute(db);
      return rows.map(toSeen);
    },
  };
}

const isFollowed = sql<boolean>`seen_at > now() - ${followerSilentSeconds} * interval '1 second'`;

const minimum = (numbers: readonly bigint[]) =>
  numbers.reduce((least, each) => (each < least ? each : least));

const toSeen = (row: {
  readonly wallet: string;
  readonly nonce: string;
  readonly user_op_hash: string;
  readonly tx_hash: string;
}): SeenOperation => ({
  sender: row.wallet as Address,
  nonce: BigInt(row.nonce),
  userOpHash: row.user_op_hash as Hex,
  txHash: row.tx_hash as Hex,
});
