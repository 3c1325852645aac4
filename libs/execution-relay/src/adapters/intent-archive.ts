import type { DatabaseHandle, IntentArchiveTable } from '@yield-vault/database';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Address, Hex } from 'viem';
import type { IntentRecord, NewIntent } from '../ports.js';

/** Final intents move to the archive this long after their expiry and their last change. */
export const archivedAfterSeconds = 86_400;

type Database = DatabaseHandle['db'];
export type ArchivedRow = Selectable<IntentArchiveTable>;

const ownColumns = ['intent_id', 'expiry', 'created_at'];
const sharedColumns = [
  ...['chain_id', 'wallet', 'state', 'user_op_hash', 'nonce', 'user_operation', 'submitted_block'],
  ...['moves', 'tx_hash', 'failure', 'response', 'updated_at'],
];

/**
 * The columns that the ledger and its archive have in common.
 *
 * @param table - of those that an intent shares with its duplicates
 * @param own - table of the others
 */
export function recordColumns(table = '', own = table): RawBuilder<unknown> {
  const refer = (from: string) => (name: string) => sql.ref(from ? `${from}.${name}` : name);
  return sql.join([...ownColumns.map(refer(own)), ...sharedColumns.map(refer(table))]);
}

/** Find an archived intent or duplicate. Search the ledger before: rows only move from there. */
export async function findArchived(db: Database, intentId: Hex): Promise<ArchivedRow | undefined> {
  const { rows } = await sql<ArchivedRow>`
    select * from intent_archive where intent_id = ${intentId} limit 1`.execute(db);
  return rows[0];
}

/**
 * Find the archived row that decides about an intent: its own, or that of another intent of its operation.
 *
 * @returns `undefined` for an intent that is too young for the archive. It needs no search: the key of the ledger alone
 *   excludes a second row. If it is a new intent of an archived operation, the nonce is used, and the chain decides.
 */
export async function findArchivedOperation(
  db: Database,
  { intentId, userOpHash, expiry }: NewIntent,
): Promise<ArchivedRow | undefined> {
  // Half the time, so that no difference of clocks hides an archived row.
  if (expiry > Date.now() / 1000 - archivedAfterSeconds / 2) return undefined;
  const { rows } = await sql<ArchivedRow>`
    select * from intent_archive
    where (intent_id = ${intentId} or user_op_hash = ${userOpHash}) and case
      when state <> 'expired' then true
      -- Another intent of the operation may have been executed since.
      else intent_id = ${intentId} and not exists (
        select from intent where user_op_hash = ${userOpHash} and intent_id <> ${intentId}
      )
    end
    order by intent_id <> ${intentId}, duplicate_of is not null limit 1`.execute(db);
  return rows[0];
}

/** Delete an archived intent and its duplicates. */
export async function deleteArchived(
  db: Database,
  { intentId, duplicateOf = intentId, userOpHash }: IntentRecord,
): Promise<void> {
  await sql`
    delete from intent_archive
    where user_op_hash = ${userOpHash} and (intent_id = ${duplicateOf} or duplicate_of = ${duplicateOf})`.execute(
    db,
  );
}

/** List the submitted intents of a wallet in the ledger and its archive, newest first. One statement misses no move. */
export async function listOfWallet(
  db: Database,
  wallet: Address,
  limit: number,
): Promise<readonly ArchivedRow[]> {
  const { rows } = await sql<ArchivedRow>`
    (
      select ${recordColumns()} from intent
      where wallet = ${wallet.toLowerCase()} and state not in ('reserved', 'simulated')
      order by created_at desc limit ${limit}
    ) union all (
      select ${recordColumns()} from intent_archive
      where wallet = ${wallet.toLowerCase()} and duplicate_of is null
        and not exists (select from intent where intent.intent_id = intent_archive.intent_id)
      order by created_at desc limit ${limit}
    ) order by created_at desc limit ${limit}`.execute(db);
  return rows;
}
