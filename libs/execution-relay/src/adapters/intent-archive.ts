import type { DatabaseHandle, IntentArchiveTable } from '@yield-vault/database';
import { invalidParameters, type IntentListRequest } from '@yield-vault/protocol';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Hex } from 'viem';
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
 * Find the archived row that decides about an intent: its own, or the row of another intent of its operation.
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

/**
 * List a page of the submitted intents of a wallet in the ledger and its archive, newest first. One statement misses no move.
 *
 * @throws {InvalidParametersError} for a cursor that no page of the wallet returned
 */
export async function listOfWallet(
  db: Database,
  { wallet, limit, cursor, state }: IntentListRequest,
): Promise<{ readonly rows: readonly ArchivedRow[]; readonly nextCursor: string | null }> {
  const owner = wallet.toLowerCase();
  const after = cursor === undefined ? undefined : readCursor(cursor, owner);
  const page = sql`
    ${state ? sql`and state = ${state}` : sql``}
    ${after ? sql`and (created_at, intent_id) < (timestamptz 'epoch' + ${after.micros}::float8 * interval '1 us', ${after.id})` : sql``}
    order by created_at desc, intent_id desc limit ${limit + 1}`;
  const { rows: found } = await sql<ArchivedRow & { readonly micros: bigint }>`
    select *, (extract(epoch from created_at) * 1000000)::bigint as micros from (
      (
        select ${recordColumns()} from intent
        where wallet = ${owner} and state not in ('reserved', 'simulated') ${page}
      ) union all (
        select ${recordColumns()} from intent_archive
        where wallet = ${owner} and duplicate_of is null
          and not exists (select from intent where intent.intent_id = intent_archive.intent_id) ${page}
      )
    ) as own order by created_at desc, intent_id desc limit ${limit + 1}`.execute(db);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, nextCursor: last ? writeCursor(owner, last.micros, last.intent_id) : null };
}

const cursorPattern = /^(0x[0-9a-f]{40})\/(\d{1,16})\/(0x[0-9a-f]{64})$/;

// A date of JavaScript would lose the microseconds.
const writeCursor = (owner: string, micros: bigint | string, id: string): string =>
  Buffer.from(`${owner}/${micros}/${id}`).toString('base64url');

function readCursor(cursor: string, owner: string): { readonly micros: string; readonly id: string } {
  const [, of, micros, id] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (of === owner && micros && id && writeCursor(of, micros, id) === cursor) return { micros, id };
  const message = `must be the nextCursor of a page of ${owner}; leave it out to list the newest intents`;
  throw invalidParameters([{ field: 'cursor', message }]);
}
