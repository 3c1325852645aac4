import {
  storeChainEvents,
  type ChainEventRows,
  type DatabaseHandle,
  type WalletPastTable,
} from '@yield-vault/database';
import { sql, type Selectable } from 'kysely';
import type { Address } from 'viem';
import type { WalletKey } from './ports.js';
import { ofWallet } from './stored-events.js';

type Database = DatabaseHandle['db'];

/** How far the blocks before the follower have been read for a wallet. */
export interface WalletPast extends WalletKey {
  /** Vaults whose events are being read, lower case. */
  readonly vaults: readonly Address[];
  /** Vaults whose events are read to the end, lower case. */
  readonly doneVaults: readonly Address[];
  /** The events of all earlier blocks are stored. */
  readonly nextBlock: bigint;
  readonly lastBlock: bigint;
  /** First block in which the wallet received shares; `undefined` until one is found. */
  readonly firstReceipt: bigint | undefined;
}

const mostOfClient = 10;
// Longer than the deadline of every query of a window.
const leaseSeconds = 60;

/** Find the past of a wallet. */
export async function findPast(db: Database, key: WalletKey): Promise<WalletPast | undefined> {
  const row = await db.selectFrom('wallet_past').selectAll().where(ofWallet(key)).executeTakeFirst();
  return row && toPast(row);
}

/**
 * Ask for the past of a wallet in some vaults. An unfinished one that lacks a vault or blocks starts again. Nothing happens
 * when the client has ten other pasts that are not finished.
 *
 * @param client - `undefined` asks without a quota
 */
export async function beginPast(
  db: Database,
  { chainId, wallet, vaults, nextBlock, lastBlock }: Omit<WalletPast, 'firstReceipt' | 'doneVaults'>,
  client: string | undefined,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Requests of one client count one after the other.
    if (client !== undefined)
      await sql`select pg_advisory_xact_lock(hashtextextended(${`wallet_past ${client}`}, 0))`.execute(
        transaction,
      );
    const others = sql`(
      select count(*) from wallet_past
      where client = ${client ?? null} and next_block <= last_block and not (${ofWallet({ chainId, wallet })})
    )`;
    await sql`
      insert into wallet_past (chain_id, wallet, vaults, next_block, last_block, client)
      select ${chainId}::bigint, ${wallet.toLowerCase()}, ${vaults}::text[], ${nextBlock}::bigint, ${lastBlock}::bigint,
        ${client ?? null}::text
      where ${others} < ${mostOfClient}
      on conflict (chain_id, wallet) do update set
        vaults = array(select distinct unnest(wallet_past.vaults || excluded.vaults)),
        next_block = excluded.next_block,
        last_block = greatest(wallet_past.last_block, excluded.last_block),
        first_receipt = null,
        client = excluded.client,
        lease_owner = null,
        lease_until = null,
        updated_at = now()
      where not (wallet_past.vaults || wallet_past.done_vaults) @> excluded.vaults
        or wallet_past.last_block < excluded.last_block
    `.execute(transaction);
  });
}

// The clock of the database, so that processes on several machines agree.
const endOfLease = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`;

/** Take the right to read some unfinished pasts that nobody reads, the longest waiting first. */
export async function claimPasts(
  db: Database,
  chainId: number,
  owner: string,
  limit: number,
  seconds = leaseSeconds,
): Promise<WalletPast[]> {
  const rows = await db
    .updateTable('wallet_past')
    .set({
      lease_owner: owner,
      lease_until: endOfLease(seconds),
      updated_at: sql<Date>`now()`,
    })
    .where('chain_id', '=', BigInt(chainId))
    .where(
      'wallet',
      '=',
      // An array is selected once, whatever the plan.
      sql<string>`any(array(
        select wallet from wallet_past
        where chain_id = ${chainId} and next_block <= last_block and (lease_until is null or lease_until <= now())
        order by updated_at limit ${limit} for update skip locked
      ))`,
    )
    .returningAll()
    .execute();
  return rows.map(toPast);
}

/**
 * Store progress with its events, and give the right back. Nothing is stored when the right was lost meanwhile.
 *
 * @param heldSeconds - nobody reads it for so long
 */
export async function savePast(
  db: Database,
  owner: string,
  { nextBlock, lastBlock, firstReceipt, vaults, doneVaults, ...key }: WalletPast,
  events: ChainEventRows,
  heldSeconds = 0,
): Promise<void> {
  const isFinished = nextBlock > lastBlock;
  await db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('wallet_past')
      .set({
        vaults: isFinished ? [] : vaults,
        done_vaults: isFinished ? [...doneVaults, ...vaults] : doneVaults,
        next_block: nextBlock,
        first_receipt: firstReceipt ?? null,
        lease_owner: null,
        lease_until: endOfLease(heldSeconds),
      })
      .where(ofWallet(key))
      .where('lease_owner', '=', owner)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) await storeChainEvents(transaction, key.chainId, events);
  });
}

function toPast(row: Selectable<WalletPastTable>): WalletPast {
  return {
    chainId: Number(row.chain_id),
    wallet: row.wallet as Address,
    vaults: row.vaults as Address[],
    doneVaults: row.done_vaults as Address[],
    nextBlock: row.next_block,
    lastBlock: row.last_block,
    firstReceipt: row.first_receipt ?? undefined,
  };
}
